//===- RowRounding.cpp - rounding of a layer's input rows -----------------===//

#include "reference/RowRounding.h"

#include "interpreter/Rounding.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// Compiled code may round a quotient either way if its distance from the midpoint between two integers is less than
/// this number, which is 32 f32 ulps of the largest quotient, 255.
static constexpr double closeToMiddle = 0x1p-11;
/// The corresponding distance for rounding to narrower floats, relative to the largest element of the row. The error of
/// a small element may be proportional to the largest one, because sums of this magnitude may have occurred in its
/// computation.
static constexpr double closeInRow = 0x1p-19;
/// The assumed error of a row that compiled code computed in f32, after many layers, and stored in a state. The error
/// is relative to the largest element of the row. When a model with states is verified, the interpreter receives such
/// rows (the parameters `stored` below).
static constexpr double closeToStored = 0x1p-15;
/// A scale is computed from at least this range of elements, so the scale of a block of zeros is not zero.
static constexpr float minRange = 0x1p-100f;
/// For scores of at least this magnitude times the ulp of 1 in the type to which exponentials are rounded, an f32 error
/// of the score changes its exponential by a large part of an ulp of this type.
static constexpr double wholeStep = 0x1p17;

/// Rounds to the nearest integer, ties to even. With `worstCaseRounding`, a number within closeToMiddle of a midpoint
/// is rounded to the integer on the other side.
static float rint(float x, bool worstCaseRounding) {
  float nearest = std::nearbyint(x);
  double off = double(x) - double(nearest);
  if (worstCaseRounding && std::fabs(std::fabs(off) - 0.5) < closeToMiddle)
    return nearest + (off < 0 ? -1.0f : 1.0f);
  return nearest;
}

namespace {
/// The parameters with which the elements of a block are quantized: x becomes rint(x / scale) + zero, clamped to
/// minimum and maximum. `finite` is false if the elements include a NaN or an infinity or their range overflows.
struct RowScale {
  float scale, zero, minimum, maximum;
  bool finite = true;
};
} // namespace

/// Returns the parameters for a block: the constant scale and zero point of `rounding` if it has them, otherwise those
/// for the range of the elements that are not outliers.
static RowScale rowScaleOf(ArrayRef<double> block, RowRoundingAttr rounding, ArrayRef<bool> isOutlier,
                           bool worstCaseRounding) {
  bool isUnsigned = rounding.isUnsigned();
  if (FloatAttr scale = rounding.getScale())
    return {float(scale.getValueAsDouble()), float(rounding.getZero()), isUnsigned ? 0.0f : -128.0f,
            isUnsigned ? 255.0f : 127.0f};
  float low = 0, high = 0;
  bool finite = true;
  for (auto [i, x] : llvm::enumerate(block))
    if (!isOutlier[i % isOutlier.size()]) {
      low = std::fmin(low, float(x));
      high = std::fmax(high, float(x));
      finite &= std::isfinite(float(x));
    }
  float range = isUnsigned ? high - low : std::fmax(high, -low);
  bool isWhole = rounding.getElement().isSignedInteger(); // si8 uses the range -128 to 127, i8 only -127 to 127
  float scale = std::fmax(range, minRange) / (isUnsigned ? 255.0f : isWhole ? 127.5f : 127.0f);
  float zero = isUnsigned ? rint(-low / scale, worstCaseRounding) : 0.0f;
  return {scale, zero,
          isUnsigned ? 0.0f
          : isWhole  ? -128.0f
                     : -127.0f,
          isUnsigned ? 255.0f : 127.0f, finite && std::isfinite(range)};
}

/// Returns the integer to which `x` is quantized, minus the zero point; NaN for a NaN.
static float integerOf(double x, const RowScale &rowScale, bool worstCaseRounding) {
  float q = rint(float(x) / rowScale.scale, worstCaseRounding) + rowScale.zero;
  return std::isnan(q) ? q : std::fmin(rowScale.maximum, std::fmax(rowScale.minimum, q)) - rowScale.zero;
}

/// Rounds one block of elements, except for its outlier channels. `isOutlier` has a flag for each element of the block
/// or, if the block consists of several rows, for each element of a row.
static void roundBlock(MutableArrayRef<double> block, RowRoundingAttr rounding, ArrayRef<bool> isOutlier,
                       bool worstCaseRounding) {
  RowScale rowScale = rowScaleOf(block, rounding, isOutlier, worstCaseRounding);
  for (auto [i, x] : llvm::enumerate(block)) {
    if (isOutlier[i % isOutlier.size()])
      continue;
    float q = integerOf(x, rowScale, worstCaseRounding);
    x = rowScale.finite && !std::isnan(q) ? double(q) * double(rowScale.scale) : std::nan("");
  }
}

/// Rounds `x` to `type`: returns the nearest number, unless `x` is so close to the midpoint between this number and a
/// finite neighbour that moving `x` by `reach` towards the neighbour changes the result. Then returns the neighbour.
static double roundNarrow(FloatType type, double x, double reach) {
  double nearest = roundTo(type, x), off = x - nearest;
  double other = off == 0 ? nearest : roundTo(type, x + std::copysign(reach, off));
  return std::isfinite(other) ? other : nearest;
}

/// Rounds the elements of a row, except for outliers, to a narrower floating-point type.
static void narrowRow(MutableArrayRef<double> row, FloatType type, ArrayRef<bool> isOutlier, bool worstCaseRounding) {
  double largest = 0;
  for (auto [x, stay] : llvm::zip_equal(row, isOutlier))
    if (!stay && std::isfinite(x))
      largest = std::max(largest, std::fabs(x));
  for (auto [x, stay] : llvm::zip_equal(row, isOutlier))
    if (!stay)
      x = roundNarrow(type, double(float(x)), worstCaseRounding ? closeInRow * largest : 0);
}

void heddle::roundRowNarrow(MutableArrayRef<double> row, FloatType type, bool worstCaseRounding,
                            ArrayRef<double> stored) {
  if (stored.empty())
    return narrowRow(row, type, SmallVector<bool>(row.size(), false), worstCaseRounding);
  double largest = 0;
  for (double x : row)
    if (std::isfinite(x))
      largest = std::max(largest, std::fabs(x));
  double reach = closeToStored * largest;
  for (auto [x, known] : llvm::zip_equal(row, stored)) {
    bool isClose = roundTo(type, x - reach) <= known && known <= roundTo(type, x + reach);
    x = isClose ? known : roundTo(type, double(float(x)));
  }
}

void heddle::roundedSoftmax(MutableArrayRef<double> row, FloatType type, bool worstCaseRounding) {
  double maximum = -INFINITY, largest = 0, sum = 0;
  for (double score : row)
    maximum = std::fmax(maximum, score);
  for (double score : row)
    if (std::isfinite(score) && std::exp(score - maximum) > 0)
      largest = std::max(largest, std::fabs(score));
  bool isPower = std::fabs(maximum) < AttentionOp::largestPower;
  double shift = isPower ? std::ceil(maximum * llvm::numbers::log2e) * llvm::numbers::ln2 : maximum;
  // An absolute error of a score becomes a relative error of its exponential. `reach` is at most a quarter of an ulp of
  // a number near 1 (2^-9 for bf16), because this relative error is at most half an ulp of any number: the exponential
  // is then rounded to one of the two numbers next to it.
  double ulp = std::ldexp(1.0, 1 - int(type.getFPMantissaWidth()));
  double reach = worstCaseRounding ? std::min(closeInRow * (1 + largest), ulp / 4) : 0;
  for (double &score : row) {
    double exponential = std::exp(score - shift) * AttentionOp::getFactorScale(type);
    if (worstCaseRounding && exponential < 0x1p-126)
      exponential = 0;
    score = roundNarrow(type, worstCaseRounding ? double(float(exponential)) : exponential, reach * exponential);
    sum += score;
  }
  // For scores of at least wholeStep * ulp, an f32 error may change each exponential by about one ulp. With
  // `worstCaseRounding`, the interpreter computes in f32, and the bound is derived from the difference between its
  // results and those in f64. Scaling all probabilities by 1 + ulp adds the error of one ulp to this difference.
  double excess = worstCaseRounding && largest >= wholeStep * ulp ? 1 + ulp : 1;
  for (double &exponential : row)
    exponential *= excess / sum;
}

float heddle::roundRowToIntegers(ArrayRef<double> row, RowRoundingAttr rounding, bool worstCaseRounding,
                                 ArrayRef<int64_t> stored, MutableArrayRef<int64_t> integers) {
  RowScale rowScale = rowScaleOf(row, rounding, SmallVector<bool>(row.size(), false), worstCaseRounding);
  if (!rowScale.finite) {
    llvm::fill(integers, int64_t(rowScale.minimum)); // as in compiled code; the scale NaN makes all elements NaN
    return std::nanf("");
  }
  float reach = float(closeToStored) * rowScale.maximum * rowScale.scale;
  for (auto [i, x] : llvm::enumerate(row)) {
    integers[i] = int64_t(integerOf(x, rowScale, worstCaseRounding && stored.empty()));
    if (!stored.empty() && integerOf(x - reach, rowScale, false) <= float(stored[i]) &&
        float(stored[i]) <= integerOf(x + reach, rowScale, false))
      integers[i] = stored[i];
  }
  return rowScale.scale;
}

std::vector<double> heddle::roundRows(std::vector<double> elements, int64_t k, RowRoundingAttr rounding,
                                      bool worstCaseRounding) {
  if (elements.empty())
    return elements;
  SmallVector<bool> isOutlier(k, false);
  for (int64_t column : rounding.getOutliers())
    isOutlier[column] = true;
  MutableArrayRef<double> all(elements);
  if (auto type = dyn_cast<FloatType>(rounding.getElement())) {
    for (size_t at = 0; at < elements.size(); at += k)
      narrowRow(all.slice(at, k), type, isOutlier, worstCaseRounding);
    return elements;
  }
  if (rounding.getPerTensor()) {
    roundBlock(all, rounding, isOutlier, worstCaseRounding);
    return elements;
  }
  int64_t length = rounding.getBlock() ? rounding.getBlock() : k;
  for (int64_t row = 0, rows = elements.size() / k; row < rows; ++row)
    for (int64_t at = 0; at < k; at += length) {
      int64_t size = std::min(length, k - at);
      roundBlock(all.slice(row * k + at, size), rounding, ArrayRef(isOutlier).slice(at, size), worstCaseRounding);
    }
  return elements;
}
