//===- Ranges.cpp - the sizes at which a model is verified ----------------===//

#include "heddle/Ranges.h"

#include "heddle/InputSizes.h"
#include "heddle/Inputs.h"

#include "Sizes.h"
#include "States.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <random>

using namespace mlir;
using namespace heddle;

SizeRanges heddle::rangesOf(const Model &model) { return notes::sizes.get(model.module.get()).value_or(SizeRanges()); }

std::string heddle::sizesText(ArrayRef<SizeRange> ranges, ArrayRef<size_t> values) {
  std::string text;
  for (auto [range, value] : llvm::zip_equal(ranges, values))
    text += (text.empty() ? "" : " ") + range.name.str() + "=" + std::to_string(value);
  return text;
}

NamedValues heddle::sizesByName(ArrayRef<SizeRange> ranges, ArrayRef<size_t> values) {
  NamedValues named;
  for (auto [range, value] : llvm::zip_equal(ranges, values))
    named[range.name] = value;
  return named;
}

/// Returns the number of combinations of sizes, or SIZE_MAX if the number overflows.
static size_t countChoices(ArrayRef<SizeRange> ranges) {
  size_t count = 1;
  for (const SizeRange &range : ranges)
    count = llvm::SaturatingMultiply(count, size_t(range.high - range.low) + 1);
  return count;
}

/// Returns all combinations of sizes. The last size changes fastest.
static std::vector<SizeValues> everyChoice(ArrayRef<SizeRange> ranges) {
  std::vector<SizeValues> choices = {{}};
  for (const SizeRange &range : ranges) {
    std::vector<SizeValues> longer;
    for (const SizeValues &values : choices)
      for (int64_t value = range.low; value <= range.high; ++value) {
        longer.push_back(values);
        longer.back().push_back(size_t(value));
      }
    choices = std::move(longer);
  }
  return choices;
}

std::string heddle::coverageText(ArrayRef<SizeRange> ranges, size_t tried) {
  size_t all = countChoices(ranges);
  std::string of = all == SIZE_MAX ? "more than 2^64" : std::to_string(all);
  return tried == all ? "at every size: " + of + " of " + of : "at " + std::to_string(tried) + " of " + of + " sizes";
}

std::vector<std::vector<SizeInterval>> heddle::intervalsOf(ArrayRef<SizeRange> ranges, ArrayRef<SizeClass> classes) {
  std::vector<std::vector<SizeInterval>> intervals(ranges.size());
  for (auto [i, range] : llvm::enumerate(ranges)) {
    for (const SizeClass &one : classes)
      if (!llvm::is_contained(intervals[i], one.within[i]))
        intervals[i].push_back(one.within[i]);
    if (classes.empty())
      intervals[i].push_back({range.low, range.high});
  }
  return intervals;
}

std::vector<SizeValues> heddle::sizesToTry(ArrayRef<SizeRange> ranges, ArrayRef<SizeClass> classes, uint64_t seed,
                                           size_t small) {
  constexpr size_t maxCornerSizes = 3, between = 6;
  if (countChoices(ranges) <= small)
    return everyChoice(ranges);
  std::vector<SizeValues> choices;
  auto add = [&](SizeValues values) {
    if (!llvm::is_contained(choices, values))
      choices.push_back(std::move(values));
  };
  // A corner has the smallest or the largest size of each range. With more than `maxCornerSizes` ranges, only the
  // corner of all smallest sizes and the corner of all largest sizes are tried.
  bool everyCorner = ranges.size() <= maxCornerSizes;
  size_t corners = everyCorner ? size_t(1) << ranges.size() : 2;
  auto addCorners = [&](auto &&bounds) {
    for (size_t corner = 0; corner < corners; ++corner) {
      SizeValues values;
      for (auto [i, bound] : llvm::enumerate(bounds))
        values.push_back(size_t((everyCorner ? corner >> i & 1 : corner) ? bound.high : bound.low));
      add(values);
    }
  };
  if (classes.empty())
    addCorners(ranges);
  for (const SizeClass &one : classes)
    addCorners(one.within);
  // Add random sizes between the corners, on a logarithmic scale.
  std::mt19937_64 random(seed);
  for (size_t n = 0; n < between && !ranges.empty(); ++n) {
    SizeValues values;
    for (const SizeRange &range : ranges) {
      double share = double(random() >> 11) * 0x1p-53;
      double low = double(std::max<int64_t>(range.low, 1)), value = low * std::pow(double(range.high) / low, share);
      values.push_back(size_t(std::clamp<int64_t>(int64_t(value + 0.5), range.low, range.high)));
    }
    add(values);
  }
  return choices;
}

FailureOr<SizeValues> heddle::sizesOf(func::FuncOp main, const WeightStore &file, StringRef path) {
  Location loc = FileLineColLoc::get(main.getContext(), path, 0, 0);
  Sizes sizes(main);
  SizeValues values;
  for (const SizeRange &range : sizes.all()) {
    if (range.low == range.high) { // the size is fixed, so no input needs to determine it
      values.push_back(size_t(range.low));
      continue;
    }
    std::vector<SizePlace> places;
    for (const Port &port : inputPorts(main))
      for (auto [dim, wanted] : llvm::enumerate(port.type.getShape()))
        if (Extent extent = sizes.of(wanted); extent.sizes().size() == 1 && extent.sizes().front() == range.name)
          places.push_back({port.name, dim, size_t(port.type.getRank()), extent.factor()});
    FailureOr<int64_t> value = sizeIn(file, loc, range.name, places, range.low, range.high);
    if (failed(value))
      return failure();
    values.push_back(size_t(*value));
  }
  return values;
}

FailureOr<Point> heddle::pointAt(const Model &model, ArrayRef<SizeRange> ranges, ArrayRef<size_t> values) {
  Point point{values.vec(), sizesText(ranges, values), {}};
  if (ranges.empty()) {
    point.model = {model.module.get().clone(), model.weights};
    return point;
  }
  SizeOptions sizes;
  for (auto [range, value] : llvm::zip_equal(ranges, values))
    sizes.at[range.name] = int64_t(value);
  FailureOr<Model> imported = model.importAgain(sizes);
  if (failed(imported))
    return failure();
  point.model = std::move(*imported);
  return point;
}

bool heddle::refuseRanges(const Model &model, StringRef what) {
  SizeRanges ranges = rangesOf(model);
  if (ranges.empty())
    return false;
  llvm::errs() << "heddle: error: size '" << ranges.front().name << "' lies in a range, which " << what
               << " does not support: give one number with --dim\n";
  return true;
}

bool heddle::refuseStates(const Model &model, StringRef what) {
  if (!hasStates(model.main()))
    return false;
  llvm::errs() << "heddle: error: the model keeps states from call to call, which " << what
               << " does not support\n";
  return true;
}
