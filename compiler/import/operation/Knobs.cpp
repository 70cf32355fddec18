//===- Knobs.cpp - the name=value words of a quoted operation -------------===//

#include "Knobs.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace heddle;

Knobs::Knobs(Location loc, StringRef operation, StringRef words, const SizeOptions &sizes)
    : loc(loc), operation(operation), sizes(sizes) {
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

/// What stands for one more size. It divides no number that is given: that would be taken for a product of the size.
std::optional<int64_t> Knobs::findStand() const {
  auto divides = [&](int64_t prime) {
    return llvm::any_of(given, [&](const auto &knob) {
      int64_t number = 0;
      return !knob.second.getAsInteger(10, number) && number && number % prime == 0;
    });
  };
  SmallVector<int64_t> taken = llvm::map_to_vector(found, [](const SizeRange &other) { return other.stands; });
  std::optional<int64_t> stands = sizes.standIn(taken);
  while (stands && divides(*stands)) {
    taken.push_back(*stands);
    stands = sizes.standIn(taken);
  }
  return stands;
}

/// LOW..HIGH: what stands for the size, or the size in the range that the import is for.
std::optional<int64_t> Knobs::readRange(StringRef name, StringRef value) {
  auto [low, high] = value.split("..");
  SizeRange range{name, 0, 0, 0};
  if (low.getAsInteger(10, range.low) || high.getAsInteger(10, range.high) || range.low < 1 || range.high < range.low ||
      range.high > sizeLimit) {
    refuse(name, "expected LOW..HIGH, 1 <= LOW <= HIGH <= " + Twine(sizeLimit) + ", found '" + value + "'");
    return std::nullopt;
  }
  auto at = sizes.at.find(name);
  if (at != sizes.at.end())
    return at->second;
  std::optional<int64_t> stands = findStand();
  if (!stands) {
    refuse(name, "too many sizes lie in ranges");
    return std::nullopt;
  }
  range.stands = *stands;
  found.push_back(range);
  return stands;
}

std::optional<int64_t> Knobs::readSize(StringRef name, StringRef value, bool mayVary) {
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
    return int64_t(number.getZExtValue());
  return std::nullopt;
}

int64_t Knobs::readSizes(ArrayRef<StringRef> names, std::optional<int64_t> fallback, StringRef fallbackText,
                         bool mayVary) {
  std::string constant = fallback ? std::to_string(*fallback) : "";
  StringRef expected = mayVary ? "a positive size, or LOW..HIGH" : "a positive size";
  std::optional<int64_t> result;
  for (StringRef name : names) {
    std::optional<StringRef> value = text(name, expected, fallbackText.empty() ? StringRef(constant) : fallbackText);
    known.back().isSecondName = name != names.front();
    if (!value)
      continue;
    std::optional<int64_t> size = readSize(name, *value, mayVary);
    if (result && size && *result != *size)
      refuse(name, "it contradicts " + names.front());
    if (size)
      result = size;
  }
  if (!result && !fallback)
    refuse(names.front(), "expected a size, for example " + names.front() + "=16");
  return result ? *result : fallback.value_or(1);
}

int64_t Knobs::size(ArrayRef<StringRef> names, std::optional<int64_t> fallback, StringRef fallbackText) {
  return readSizes(names, fallback, fallbackText, /*mayVary=*/false);
}

int64_t Knobs::size(StringRef name, std::optional<int64_t> fallback, StringRef fallbackText) {
  return size(ArrayRef<StringRef>(name), fallback, fallbackText);
}

int64_t Knobs::anySize(ArrayRef<StringRef> names, std::optional<int64_t> fallback, StringRef fallbackText) {
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
