//===- Knobs.cpp - the name=value words of a quoted operation -------------===//

#include "Knobs.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;

Knobs::Knobs(Location loc, StringRef operation, StringRef words) : loc(loc), operation(operation) {
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

std::optional<StringRef> Knobs::text(StringRef name) {
  known.push_back(name.str());
  auto it = given.find(name);
  if (it == given.end())
    return std::nullopt;
  return it->second;
}

int64_t Knobs::size(ArrayRef<StringRef> names, std::optional<int64_t> fallback) {
  constexpr int64_t limit = int64_t(1) << 31;
  std::optional<int64_t> result;
  for (StringRef name : names) {
    std::optional<StringRef> value = text(name);
    if (!value)
      continue;
    int64_t number = 0;
    if (value->getAsInteger(10, number) || number < 1 || number > limit)
      refuse(name, "expected a positive size, found '" + *value + "'");
    else if (result && *result != number)
      refuse(name, "it contradicts " + names.front());
    else
      result = number;
  }
  if (!result && !fallback)
    refuse(names.front(), "expected a size, for example " + names.front() + "=16");
  return result ? *result : fallback.value_or(1);
}

int64_t Knobs::size(StringRef name, std::optional<int64_t> fallback) {
  return size(ArrayRef<StringRef>(name), fallback);
}

std::optional<double> Knobs::number(StringRef name) {
  std::optional<StringRef> value = text(name);
  if (!value)
    return std::nullopt;
  double result = 0;
  if (value->getAsDouble(result, /*AllowInexact=*/true)) {
    refuse(name, "expected a number, found '" + *value + "'");
    return std::nullopt;
  }
  return result;
}

bool Knobs::flag(StringRef name, bool fallback) {
  std::optional<StringRef> value = text(name);
  if (!value)
    return fallback;
  if (*value == "1" || *value == "true")
    return true;
  if (*value != "0" && *value != "false")
    refuse(name, "expected 0 or 1, found '" + *value + "'");
  return false;
}

unsigned Knobs::choice(StringRef name, ArrayRef<StringRef> choices, unsigned fallback) {
  std::optional<StringRef> value = text(name);
  if (!value)
    return fallback;
  const StringRef *found = llvm::find(choices, *value);
  if (found != choices.end())
    return found - choices.begin();
  refuse(name, "expected " + llvm::join(choices, ", ") + ", found '" + *value + "'");
  return fallback;
}

LogicalResult Knobs::finish() {
  for (const auto &[name, value] : given)
    if (!llvm::is_contained(known, name))
      return emitError(loc) << operation << " has no knob '" << name << "'; it has " << llvm::join(known, ", ");
  if (!mistake.empty())
    return emitError(loc) << mistake;
  return success();
}
