//===- ColumnSearch.cpp - finds outlier channels --------------------------===//
//
// The product of a row of the input and a column of the weight has two rounding errors. The rounding error of each
// element of the row is at most half a step, where a step is the row's range / 255. This error is multiplied by a
// weight and occurs once for each column of the input. The rounding error of each weight is at most half a step, where
// a step is the column's largest weight / 127. This second error is multiplied by an element of the row. For a row x
// and weights of standard deviation s, the squared error is, up to a factor,
//
//   range^2 / 255^2 x columns x s^2 + |x|^2 / 127^2 x (largest weight)^2.
//
// The search divides this error by |x|^2 of the whole row. In the error itself, outlier channels contribute neither to
// the range nor to |x|.
//
//===----------------------------------------------------------------------===//

#include "ColumnSearch.h"

#include "StoredLayers.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace heddle;

// The square of a column's largest weight, in units of s^2: the largest of a few hundred normally distributed numbers
// is about 3 s.
static constexpr double largestWeight = 9;

void ColumnSearch::addRows(ArrayRef<double> elements, int64_t count) {
  columns = count;
  for (size_t at = 0; count > 0 && at + count <= elements.size(); at += count) {
    ArrayRef<double> row = elements.slice(at, count);
    seen = true;
    if (llvm::all_of(row, [](double x) { return std::isfinite(float(x)); }))
      rows.insert(rows.end(), row.begin(), row.end());
  }
}

namespace {
/// The minimum and the maximum of 0 and the elements of a row without its outlier channels. `nextLow` (`nextHigh`) is
/// the minimum (maximum) if the column of the minimum (maximum) becomes an outlier channel, too.
struct Ends {
  float low = 0, nextLow = 0, high = 0, nextHigh = 0;
  int64_t lowest = -1, highest = -1; // the columns of `low` and `high`; -1 if the bound is 0

  /// Returns the range of the row, without the column `without` unless it is -1.
  double range(int64_t without = -1) const {
    return double(without == highest && without >= 0 ? nextHigh : high) -
           double(without == lowest && without >= 0 ? nextLow : low);
  }
};
} // namespace

/// Returns the ends of a row; outliers[i] is true if column i is an outlier channel.
static Ends endsOf(ArrayRef<float> row, ArrayRef<bool> outliers) {
  Ends ends;
  for (auto [i, x] : llvm::enumerate(row)) {
    if (outliers[i])
      continue;
    if (x < ends.low)
      ends.nextLow = std::exchange(ends.low, x), ends.lowest = i;
    else
      ends.nextLow = std::min(ends.nextLow, x);
    if (x > ends.high)
      ends.nextHigh = std::exchange(ends.high, x), ends.highest = i;
    else
      ends.nextHigh = std::max(ends.nextHigh, x);
  }
  return ends;
}

SmallVector<int64_t> ColumnSearch::find() const {
  SmallVector<bool> outliers(columns, false);
  SmallVector<int64_t> found;
  double ofRange = double(columns) / (255.0 * 255.0), ofLength = largestWeight / (127.0 * 127.0);
  for (int64_t n = 0; n < countOutliers(columns); ++n) {
    std::vector<double> gains(columns, 0);
    for (size_t at = 0; at < rows.size(); at += columns) {
      ArrayRef<float> row(rows.data() + at, columns);
      double length = 0;
      for (float x : row)
        length += double(x) * double(x);
      Ends ends = endsOf(row, outliers);
      if (length == 0)
        continue;
      for (int64_t i = 0; i < columns; ++i)
        gains[i] += ofLength * double(row[i]) * double(row[i]) / length;
      for (int64_t end : {ends.lowest, ends.highest}) {
        double range = ends.range(), without = ends.range(end);
        if (end >= 0)
          gains[end] += ofRange * (range * range - without * without) / length;
      }
    }
    for (int64_t i = 0; i < columns; ++i)
      if (outliers[i])
        gains[i] = -1;
    int64_t best = std::max_element(gains.begin(), gains.end()) - gains.begin();
    outliers[best] = true;
    found.push_back(best);
  }
  llvm::sort(found);
  return found;
}
