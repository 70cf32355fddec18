//===- Compare.cpp - distance of an output from the reference -------------===//

#include "heddle/Verify.h"
#include "interpreter/Rounding.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// Returns the index of the element at `offset`, counted in elements in row-major order.
static SmallVector<int64_t> indexOf(int64_t offset, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> index(shape.size());
  for (int64_t i = int64_t(shape.size()) - 1; i >= 0; --i) {
    index[i] = offset % shape[i];
    offset /= shape[i];
  }
  return index;
}

static std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "[";
  llvm::interleaveComma(shape, stream);
  stream << "]";
  return text;
}

/// Returns the value rounded to the output's type. A value beyond the largest number of the type becomes infinite.
static double inRange(double value, Type type) { return roundTo(cast<FloatType>(type), value); }

namespace {
/// The factors of the bound, which is error x (the error of the interpreter in lower precision) + magnitude x (the
/// largest magnitude). The strings appear in messages: both factors, and the type in which the interpreter computed.
struct Shares {
  double error, magnitude;
  const char *errorText, *evaluation, *magnitudeText;
};
} // namespace

/// Returns the factors for the output's type. For f16 and bf16, the factor for the magnitude is the machine epsilon of
/// the type instead of 1e-6. For f64, both factors are the factors for f32 times 2^-29, the ratio of the machine
/// epsilons of f64 and f32.
static Shares sharesOf(StringRef type) {
  if (type == "f16")
    return {4, 0x1p-10, "4", "f16", "2^-10"};
  if (type == "bf16")
    return {4, 0x1p-7, "4", "bf16", "2^-7"};
  if (type == "f64")
    return {4 * 0x1p-29, 1e-6 * 0x1p-29, "2^-29 x 4", "f32", "2^-29 x 1e-6"};
  return {4, 1e-6, "4", "f32", "1e-6"};
}

/// Returns whether both numbers are finite, both are NaN, or both are the same infinity.
static bool samePlace(double actual, double reference) {
  if (std::isnan(reference) || std::isnan(actual))
    return std::isnan(reference) && std::isnan(actual);
  if (std::isinf(reference) || std::isinf(actual))
    return actual == reference;
  return true;
}

/// Compares `actual` with `reference`, which `against` names in messages. `wide` and `narrow` are the interpreter's
/// results in f64 and in lower precision. The error of `narrow` counts as at least `minError`.
static Comparison compareWith(StringRef output, StringRef against, const Tensor &actual, const Tensor &reference,
                              const Tensor &wide, const Tensor &narrow, double minError = 0) {
  Comparison result;
  result.narrowError = minError;
  result.output = output;
  result.against = against;
  result.shape = SmallVector<int64_t>(actual.shape());
  llvm::raw_string_ostream(result.elementType) << actual.elementType();
  result.exact = !wide.isFloat();
  if (actual.shape() != reference.shape() || actual.isFloat() != reference.isFloat()) {
    llvm::raw_string_ostream(result.problem)
        << "the result is " << actual.tensorType() << ", but " << against << " has " << reference.tensorType();
    return result;
  }

  if (result.exact) {
    for (int64_t i = 0; i < actual.size(); ++i) {
      double error = std::fabs(double(actual.ints()[i]) - double(reference.ints()[i]));
      if (actual.ints()[i] != reference.ints()[i] && !result.first)
        result.first = {indexOf(i, actual.shape()), double(actual.ints()[i]), double(reference.ints()[i])};
      if (actual.ints()[i] != reference.ints()[i] && error >= result.error) {
        result.error = std::max(error, 1.0); // different integers beyond 2^53 may become the same double
        result.where = indexOf(i, actual.shape());
        result.actual = actual.ints()[i];
        result.reference = reference.ints()[i];
      }
    }
    result.ok = result.error <= 0;
    return result;
  }

  // The bound is always computed from the interpreter's error, even if `reference` is another tensor. Elements that are
  // NaN or infinite after they are rounded to the output's type do not count.
  for (int64_t i = 0; i < wide.size(); ++i)
    if (double value = wide.floats()[i]; std::isfinite(inRange(value, actual.elementType()))) {
      result.magnitude = std::max(result.magnitude, std::fabs(value));
      if (std::isfinite(narrow.floats()[i]))
        result.narrowError = std::max(result.narrowError, std::fabs(narrow.floats()[i] - value));
    }
  Shares shares = sharesOf(result.elementType);
  result.bound = shares.error * result.narrowError + shares.magnitude * result.magnitude;

  for (int64_t i = 0; i < actual.size(); ++i) {
    double value = actual.floats()[i], truth = reference.floats()[i];
    bool misplaced = !samePlace(value, inRange(truth, actual.elementType()));
    double error = std::fabs(value - truth);
    if (!result.first && (misplaced || (std::isfinite(value) && !(error <= result.bound))))
      result.first = {indexOf(i, actual.shape()), value, truth};
    auto note = [&] {
      result.where = indexOf(i, actual.shape());
      result.actual = value;
      result.reference = truth;
    };
    if (misplaced) {
      note();
      result.problem = "NaN or infinity does not match";
      return result;
    }
    if (std::isfinite(value) && (error > result.error || result.where.empty())) {
      note();
      result.error = error;
    }
  }
  result.ok = result.error <= result.bound;
  return result;
}

/// Excludes an element from comparisons: makes it NaN in all three tensors.
static void drop(Tensor &actual, Tensor &wide, Tensor &narrow, int64_t element) {
  for (Tensor *tensor : {&actual, &wide, &narrow})
    tensor->mutableFloats()[element] = std::numeric_limits<double>::quiet_NaN();
}

int64_t heddle::dropSharedOverflows(Tensor &actual, Reference &reference, unsigned output) {
  Tensor &wide = reference.wide[output], &narrow = reference.narrow[output];
  if (!wide.isFloat() || actual.shape() != wide.shape() || !actual.isFloat())
    return 0;
  int64_t dropped = 0;
  for (int64_t i = 0; i < wide.size(); ++i) {
    double inF32 = narrow.floats()[i], value = actual.floats()[i];
    if (std::isfinite(inF32) || !std::isfinite(wide.floats()[i]) || !samePlace(value, inF32))
      continue;
    drop(actual, wide, narrow, i);
    ++dropped;
  }
  return dropped;
}

int64_t heddle::dropOverflows(Tensor &actual, Reference &reference, unsigned output, bool finite) {
  Tensor &wide = reference.wide[output], &narrow = reference.narrow[output];
  if (!wide.isFloat() || actual.shape() != wide.shape() || !actual.isFloat())
    return 0;
  int64_t dropped = 0;
  for (int64_t i = 0; i < wide.size(); ++i) {
    double truth = inRange(wide.floats()[i], actual.elementType()), value = actual.floats()[i];
    bool inF32 = !std::isnan(truth) && !samePlace(narrow.floats()[i], truth);
    bool inF64 = finite && actual.elementType().isF64() && !std::isfinite(truth) && !std::isfinite(value) &&
                 !samePlace(value, truth);
    if (!inF32 && !inF64)
      continue;
    drop(actual, wide, narrow, i);
    ++dropped;
  }
  return dropped;
}

Comparison heddle::compare(StringRef output, const Tensor &actual, const Tensor &wide, const Tensor &narrow,
                           double minError) {
  return compareWith(output, "interpreter", actual, wide, wide, narrow, minError);
}

Comparison heddle::compareExpected(StringRef output, const Tensor &actual, const Tensor &expected, const Tensor &wide,
                                   const Tensor &narrow) {
  return compareWith(output, "expected", actual, expected, wide, narrow);
}

std::string Comparison::text() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << output << " " << shapeText(shape) << " " << elementType << " against " << against << ": ";
  if (!problem.empty()) {
    stream << problem;
    if (!where.empty())
      stream << " at " << shapeText(where) << llvm::format(": %.9g, expected %.9g", actual, reference);
    return text + ": FAIL";
  }
  stream << "max abs error " << llvm::format("%.3g", error);
  if (!ok)
    stream << llvm::format(" (%.9g, expected %.9g)", actual, reference) << " at " << shapeText(where);
  Shares shares = sharesOf(elementType);
  if (exact)
    stream << ", bound 0 (exact)";
  else
    stream << llvm::format(", bound %.3g (%s x %.3g of %s interpretation + %s x %.3g)", bound, shares.errorText,
                           narrowError, shares.evaluation, shares.magnitudeText, magnitude);
  stream << (ok ? ": ok" : ": FAIL");
  return text;
}
