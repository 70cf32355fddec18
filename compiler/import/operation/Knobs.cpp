//===- Knobs.cpp - the name=value words of a quoted operation -------------===//

#include "Knobs.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace heddle;

Knobs::Knobs(Location loc, StringRef operation, StringRef words, const llvm::StringMap<int64_t> &dims)
    : loc(loc), operation(operation), dims(dims) {
  SmallVector<StringRef> split;
  llvm::SplitString(words, split, " \t\n");
  for (StringRef word : split) {
    auto [name, value] = word.split('=');
    if (!word.contains('='))
      value = "1";
    if (!given.insert({name, value}).second)
      refuse(name, "it is given twice");
  }
}

void Knobs::refuse(StringRef name, const Twine &reason) {
  if (mistake.empty())
    mistake = (operation + ": " + name + ": " + reason).str();
}

void Knobs::refuseValue(StringRef name) {
  auto knob = llvm::find_if(known, [&](const Asked &asked) { return asked.name == name; });
  refuse(name, "expected " + knob->expected + ", found '" + given.lookup(name) + "'");
}

std::optional<StringRef> Knobs::text(StringRef name, StringRef expected, StringRef fallbackText) {
  known.push_back({name.str(), expected.str(), fallbackText.str(), /*isSecondName=*/false});
  auto it = given.find(name);
  if (it == given.end())
    return std::nullopt;
  return it->second;
}

/// Notes that the value is a range, of what takes none.
void Knobs::refuseRange(StringRef name, StringRef value) {
  refuse(name, "expected one size, found the range '" + value + "': it cannot lie in a range here");
}

static constexpr int64_t sizeLimit = int64_t(1) << 31;

/// LOW..HIGH: the size in the range that the import is for; before there is one, the largest.
std::optional<Dim> Knobs::readRange(StringRef name, StringRef value) {
  auto [low, high] = value.split("..");
  DimRange range{name.str(), 0, 0};
  if (low.getAsInteger(10, range.low) || high.getAsInteger(10, range.high) || range.low < 1 || range.high < range.low ||
      range.high > sizeLimit) {
    refuse(name, "expected LOW..HIGH, 1 <= LOW <= HIGH <= " + Twine(sizeLimit) + ", found '" + value + "'");
    return std::nullopt;
  }
  found.push_back(range);
  auto size = dims.find(name);
  return size == dims.end() ? Dim(range.high) : dimOf(size->second);
}

std::optional<Dim> Knobs::readSize(StringRef name, StringRef value, bool mayVary) {
  if (mayVary && value.contains(".."))
    return readRange(name, value);
  llvm::APInt number;
  if (value.contains(".."))
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
  std::string constant = fallback ? fallback->text() : "";
  StringRef expected = mayVary ? "a positive size, or LOW..HIGH" : "a positive size";
  std::optional<Dim> result;
  bool isRange = false;
  for (StringRef name : names) {
    std::optional<StringRef> value = text(name, expected, fallbackText.empty() ? StringRef(constant) : fallbackText);
    known.back().isSecondName = name != names.front();
    if (!value)
      continue;
    std::optional<Dim> size = readSize(name, *value, mayVary);
    isRange |= value->contains("..");
    if (result && size && (isRange || *result != *size))
      refuse(name, "it contradicts " + names.front());
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

std::optional<double> Knobs::number(StringRef name, StringRef fallbackText) {
  std::optional<StringRef> value = text(name, "a number", fallbackText);
  if (!value)
    return std::nullopt;
  double result = 0;
  if (value->getAsDouble(result, /*AllowInexact=*/true)) {
    refuseValue(name);
    return std::nullopt;
  }
  return result;
}

double Knobs::number(StringRef name, double fallback) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", fallback);
  return number(name, text).value_or(fallback);
}

bool Knobs::flag(StringRef name, bool fallback) {
  std::optional<StringRef> value = text(name, "0 or 1", fallback ? "1" : "0");
  if (!value)
    return fallback;
  if (*value == "1" || *value == "true")
    return true;
  if (*value != "0" && *value != "false")
    refuseValue(name);
  return false;
}

unsigned Knobs::choice(StringRef name, ArrayRef<StringRef> choices, unsigned fallback) {
  std::optional<StringRef> value = text(name, llvm::join(choices, ", "), choices[fallback]);
  if (!value)
    return fallback;
  const StringRef *found = llvm::find(choices, *value);
  if (found != choices.end())
    return found - choices.begin();
  refuseValue(name);
  return fallback;
}

std::string Knobs::describe() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (size_t i = 0; i < known.size();) {
    const Asked &knob = known[i];
    std::string names = knob.name;
    for (++i; i < known.size() && known[i].isSecondName; ++i)
      names += ", " + known[i].name;
    os << llvm::formatv("  {0,-20} {1}; {2}\n", names, knob.expected,
                        knob.fallback.empty() ? "to be given" : "default: " + knob.fallback);
  }
  return text;
}

LogicalResult Knobs::finish() {
  if (describing)
    return failure();
  auto names = llvm::map_range(known, [](const Asked &knob) { return knob.name; });
  for (const auto &[name, value] : given)
    if (!llvm::is_contained(names, name))
      return emitError(loc) << operation << " has no knob '" << name << "'; it has " << llvm::join(names, ", ");
  if (!mistake.empty())
    return emitError(loc) << mistake;
  return success();
}
