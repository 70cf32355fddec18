//===- Knobs.cpp - knobs of quoted operations -----------------------------===//

#include "Knobs.h"

#include "heddle/KnobNames.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace heddle;

Knobs::Knobs(Location loc, StringRef operation, StringRef words, const llvm::StringMap<int64_t> &dims)
    : loc(loc), operation(operation), dims(dims) {
  SmallVector<StringRef> split;
  llvm::SplitString(words, split, " \t\n");
  for (StringRef word : split) {
    auto [firstWord, value] = word.split('=');
    StringRef name = currentKnobName(KnobKind::Operation, firstWord);
    if (!word.contains('='))
      value = "1";
    written.insert({name, firstWord});
    if (!given.insert({name, value}).second)
      refuse(name, "this knob is given twice");
  }
}

void Knobs::refuse(StringRef name, const Twine &reason) {
  if (mistake.empty())
    mistake = (operation + ": " + name + ": " + reason).str();
}

void Knobs::refuseValue(StringRef name) {
  auto knob = llvm::find_if(known, [&](const KnobDescription &each) { return llvm::is_contained(each.names, name); });
  refuse(name, "expected " + knob->expected + ", found '" + given.lookup(name) + "'");
}

std::optional<StringRef> Knobs::find(StringRef name) const {
  auto it = given.find(name);
  return it == given.end() ? std::nullopt : std::optional(it->second);
}

std::optional<StringRef> Knobs::read(KnobDescription knob) {
  known.push_back(std::move(knob));
  return find(known.back().names.front());
}

std::optional<StringRef> Knobs::text(StringRef name, StringRef expected, StringRef fallbackText) {
  return read({KnobDescription::Text, {name.str()}, expected.str(), fallbackText.str(), {}});
}

/// Records the error that the user gave a range for a size that must be a single number.
void Knobs::refuseRange(StringRef name, StringRef value) {
  refuse(name, "expected one size, found the range '" + value + "': this knob cannot have a range");
}

/// Whether the value is LOW..HIGH, or a list of classes (subranges that are compiled separately, such as 1,2..8), and
/// not a single number.
static bool isRange(StringRef value) { return value.contains("..") || value.contains(','); }

/// The maximum size that a knob can have.
static constexpr int64_t sizeLimit = int64_t(1) << 31;

/// Reads LOW..HIGH or a list of classes (see isRange) and records the range. Returns the value or placeholder that
/// `dims` contains for the size. If `dims` does not contain the size yet, returns the maximum of the range.
std::optional<Dim> Knobs::readRange(StringRef name, StringRef value) {
  DimRange range{name.str(), 0, 0};
  std::string wrong = parseSizes(value, range);
  if (value.contains(',') && !wrong.empty()) {
    refuse(name, wrong);
    return std::nullopt;
  }
  if (!wrong.empty() || range.low < 1 || range.high > sizeLimit) {
    refuse(name, "expected LOW..HIGH, 1 <= LOW <= HIGH <= " + Twine(sizeLimit) + ", found '" + value + "'");
    return std::nullopt;
  }
  found.push_back(range);
  auto size = dims.find(name);
  return size == dims.end() ? Dim(range.high) : dimOf(size->second);
}

std::optional<Dim> Knobs::readSize(StringRef name, StringRef value, bool mayVary) {
  if (mayVary && isRange(value))
    return readRange(name, value);
  llvm::APInt number;
  if (isRange(value))
    refuseRange(name, value);
  else if (value.getAsInteger(10, number) || number.isZero())
    refuseValue(name);
  else if (number.ugt(sizeLimit))
    refuse(name, "expected at most " + Twine(sizeLimit) + ", found '" + value + "'");
  else
    return Dim(int64_t(number.getZExtValue()));
  return std::nullopt;
}

Dim Knobs::readSizes(ArrayRef<StringRef> names, std::optional<Dim> fallback, StringRef fallbackText, bool mayVary) {
  KnobDescription knob{mayVary ? KnobDescription::SizeOrRange : KnobDescription::Size,
                       std::vector<std::string>(names.begin(), names.end()),
                       mayVary ? "a positive size, LOW..HIGH, or classes such as 1,2..8" : "a positive size",
                       fallbackText.str(),
                       {}};
  if (fallbackText.empty() && fallback)
    knob.fallback = fallback->text();
  known.push_back(std::move(knob));
  std::optional<Dim> result;
  bool varies = false;
  for (StringRef name : names) {
    std::optional<StringRef> value = find(name);
    if (!value)
      continue;
    std::optional<Dim> size = readSize(name, *value, mayVary);
    varies |= isRange(*value);
    if (result && size && (varies || *result != *size))
      refuse(name, "this is another name of the knob " + names.front() + ": give only one of them");
    if (size)
      result = size;
  }
  if (!result && !fallback)
    refuse(names.front(), "expected a size, for example " + names.front() + "=16");
  return result ? *result : fallback.value_or(Dim(1));
}

int64_t Knobs::size(ArrayRef<StringRef> names, std::optional<int64_t> fallback, StringRef fallbackText) {
  std::optional<Dim> number = fallback ? std::optional<Dim>(*fallback) : std::nullopt;
  return *readSizes(names, number, fallbackText, /*mayVary=*/false).number();
}

int64_t Knobs::size(StringRef name, std::optional<int64_t> fallback, StringRef fallbackText) {
  return size(ArrayRef<StringRef>(name), fallback, fallbackText);
}

Dim Knobs::anySize(ArrayRef<StringRef> names, std::optional<Dim> fallback, StringRef fallbackText) {
  return readSizes(names, fallback, fallbackText, /*mayVary=*/true);
}

std::optional<double> Knobs::number(StringRef name, StringRef fallbackText, ArrayRef<StringRef> common) {
  std::string expected = common.empty() ? "a number" : "a number, such as " + llvm::join(common, ", ");
  std::optional<StringRef> value = read({KnobDescription::Number,
                                         {name.str()},
                                         expected,
                                         fallbackText.str(),
                                         std::vector<std::string>(common.begin(), common.end())});
  if (!value)
    return std::nullopt;
  llvm::APFloat result(llvm::APFloat::IEEEdouble());
  auto status = result.convertFromString(*value, llvm::APFloat::rmNearestTiesToEven);
  if (!status) {
    llvm::consumeError(status.takeError());
    refuseValue(name);
    return std::nullopt;
  }
  bool isBeyond = (*status & llvm::APFloat::opOverflow) || ((*status & llvm::APFloat::opUnderflow) && result.isZero());
  if (isBeyond) {
    refuse(name, "expected a number that fits into a 64-bit float, found '" + *value + "'");
    return std::nullopt;
  }
  return result.convertToDouble();
}

double Knobs::number(StringRef name, double fallback, ArrayRef<StringRef> common) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", fallback);
  return number(name, text, common).value_or(fallback);
}

bool Knobs::flag(StringRef name, bool fallback) {
  std::optional<StringRef> value =
      read({KnobDescription::Flag, {name.str()}, "0 or 1", fallback ? "1" : "0", {"0", "1"}});
  if (!value)
    return fallback;
  if (*value == "1" || *value == "true")
    return true;
  if (*value != "0" && *value != "false")
    refuseValue(name);
  return false;
}

unsigned Knobs::choice(StringRef name, ArrayRef<StringRef> choices, unsigned fallback) {
  std::optional<StringRef> value = read({KnobDescription::Choice,
                                         {name.str()},
                                         llvm::join(choices, ", "),
                                         choices[fallback].str(),
                                         std::vector<std::string>(choices.begin(), choices.end())});
  if (!value)
    return fallback;
  const StringRef *found = llvm::find(choices, *value);
  if (found != choices.end())
    return found - choices.begin();
  refuseValue(name);
  return fallback;
}

std::vector<std::string> Knobs::listNames() const {
  std::vector<std::string> names;
  for (const KnobDescription &knob : known)
    llvm::append_range(names, knob.names);
  return names;
}

StringRef Knobs::findUnknown() const {
  std::vector<std::string> names = listNames();
  for (const auto &[name, value] : given)
    if (!llvm::is_contained(names, name))
      return written.lookup(name);
  return "";
}

LogicalResult Knobs::finish() {
  if (describing)
    return failure();
  if (StringRef name = findUnknown(); !name.empty())
    return emitError(loc) << operation << " has no knob '" << name << "'; its knobs are "
                          << llvm::join(listNames(), ", ");
  if (!mistake.empty())
    return emitError(loc) << mistake;
  return success();
}
