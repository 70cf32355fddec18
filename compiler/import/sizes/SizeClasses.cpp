//===- SizeClasses.cpp - classes of sizes ---------------------------------===//

#include "SizeClasses.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;

/// The maximum number of classes, since each class is compiled separately.
static constexpr size_t maxClasses = 16;

static std::string textOf(SizeInterval interval) {
  std::string text = std::to_string(interval.low);
  return interval.isOne() ? text : text + ".." + std::to_string(interval.high);
}

/// Parses N or LOW..HIGH.
static std::optional<SizeInterval> parseInterval(StringRef text) {
  SizeInterval interval;
  auto [low, high] = text.split("..");
  if (!text.contains(".."))
    high = low;
  if (low.getAsInteger(10, interval.low) || high.getAsInteger(10, interval.high) || interval.low < 0 ||
      interval.high < std::max<int64_t>(interval.low, 1))
    return std::nullopt;
  return interval;
}

std::string heddle::parseSizes(StringRef text, DimRange &range) {
  std::vector<SizeInterval> classes;
  for (StringRef part : llvm::split(text, ',')) {
    std::optional<SizeInterval> interval = parseInterval(part);
    if (!interval)
      return text.contains(',')
                 ? "'" + part.str() + "' of '" + text.str() +
                       "' is not a class of sizes: expected N >= 1 or LOW..HIGH, LOW <= HIGH, 1 <= HIGH, as in "
                       "1,2..8,9..512"
                 : "a range must be LOW..HIGH, 0 <= LOW <= HIGH, 1 <= HIGH";
    if (!classes.empty() && (classes.back().high == INT64_MAX || interval->low != classes.back().high + 1))
      return "classes of sizes must be contiguous: after " + textOf(classes.back()) +
             " expected a class that begins at " + std::to_string(uint64_t(classes.back().high) + 1) + ", found " +
             textOf(*interval);
    classes.push_back(*interval);
  }
  range.low = classes.front().low;
  range.high = classes.back().high;
  if (classes.size() > 1)
    range.classes = std::move(classes);
  return "";
}

FailureOr<std::vector<SizeClass>> heddle::combineClasses(Location loc, ArrayRef<DimRange> ranges) {
  std::vector<SizeClass> combined = {{}};
  for (const DimRange &range : ranges) {
    std::vector<SizeInterval> classes = range.classes;
    bool isOne = classes.empty();
    if (isOne)
      classes.push_back({range.low, range.high});
    std::vector<SizeClass> longer;
    for (const SizeClass &known : combined)
      for (SizeInterval interval : classes) {
        longer.push_back(known);
        longer.back().within.push_back(interval);
        if (!isOne)
          longer.back().name += (known.name.empty() ? "" : " ") + range.name + "=" + textOf(interval);
      }
    combined = std::move(longer);
    if (combined.size() > maxClasses)
      return emitError(loc) << "expected at most " << maxClasses << " combinations of classes of sizes, found "
                            << combined.size() << " for '" << range.name
                            << "' and the sizes before it: each combination has code of its own";
  }
  if (combined.size() == 1)
    combined.clear();
  return combined;
}
