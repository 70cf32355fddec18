//===- Distance.cpp - the distance between two results --------------------===//

#include "heddle/Distance.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// Returns whether exactly one of the two numbers is NaN, or whether at least one is infinite and the numbers differ.
static bool isBroken(double x, double y) {
  return (!std::isfinite(x) || !std::isfinite(y)) && !(std::isnan(x) && std::isnan(y)) && x != y;
}

/// Returns the cosine of the angle between two rows, without elements that are NaN in both rows or the same infinity in
/// both; NaN if other elements are not finite; 0 if only one row consists of zeros.
static double rowCosine(ArrayRef<double> a, ArrayRef<double> b) {
  double product = 0, squaresA = 0, squaresB = 0;
  bool same = true;
  for (auto [x, y] : llvm::zip_equal(a, b)) {
    if (isBroken(x, y))
      return std::nan("");
    if (!std::isfinite(x))
      continue;
    same &= x == y;
    product += x * y, squaresA += x * x, squaresB += y * y;
  }
  // The cosine of equal rows, including rows of zeros, is exactly 1. The formula may round it to a smaller number.
  if (same)
    return 1;
  double lengths = std::sqrt(squaresA) * std::sqrt(squaresB);
  return lengths > 0 ? product / lengths : 0;
}

Distance heddle::distanceBetween(const Tensor &result, const Tensor &other) {
  Distance distance;
  ArrayRef<double> a = result.floats(), b = other.floats();
  for (auto [x, y] : llvm::zip_equal(a, b)) {
    if (std::isfinite(y))
      distance.magnitude = std::max(distance.magnitude, std::fabs(y));
    if (isBroken(x, y))
      distance.error = INFINITY;
    else if (std::isfinite(x))
      distance.error = std::max(distance.error, std::fabs(x - y));
  }
  size_t length = result.rank() ? std::max<int64_t>(1, result.shape().back()) : 1;
  for (size_t at = 0; at + length <= a.size(); at += length) {
    double cosine = rowCosine(a.slice(at, length), b.slice(at, length));
    if (!(cosine >= distance.cosine))
      distance.cosine = cosine;
    if (std::isnan(cosine))
      break;
  }
  return distance;
}

Distance heddle::worse(const Distance &a, const Distance &b) {
  Distance both;
  both.error = std::max(a.error, b.error);
  both.magnitude = std::max(a.magnitude, b.magnitude);
  both.cosine = a.cosine < b.cosine || std::isnan(a.cosine) ? a.cosine : b.cosine;
  return both;
}

std::string heddle::cosineText(double cosine) {
  constexpr int minimum = 6, maximum = 12;
  double distance = 1 - cosine;
  if (std::isnan(distance))
    return "nan";
  // The number of digits suffices to distinguish the cosine from 1, but is at least 6 and at most 12.
  int digits = distance > 0 ? std::clamp(int(std::ceil(-std::log10(distance))) + 1, minimum, maximum) : minimum;
  auto rounded = [&](double number) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.*f", digits, number);
    return text;
  };
  // The text is rounded down, so that it never overstates the cosine.
  std::string nearest = rounded(cosine);
  return std::stod(nearest) <= cosine ? nearest : rounded(std::stod(nearest) - std::pow(10.0, -digits));
}

std::string Distance::text() const {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("largest error %.3g of %.3g", error, magnitude)
                                 << ", worst cosine of a row " << cosineText(cosine);
  return text;
}
