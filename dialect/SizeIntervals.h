//===- SizeIntervals.h - interval arithmetic on sizes -----------*- C++ -*-===//
//
// These functions compute the bounds of an expression of sizes from the bounds of the sizes, and decide whether these
// bounds are exact or whether the exact bounds are the values at corners of the ranges.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_SIZEINTERVALS_H
#define HEDDLE_DIALECT_SIZEINTERVALS_H

#include "SizeExpression.h"

namespace heddle {

/// The minimum and the maximum of a value, both inclusive.
struct SizeBounds {
  int64_t low, high;
  bool isNumber() const { return low == high; }
};

/// Computes the bounds of an expression by interval arithmetic, which treats the operands of each function as
/// independent, so that the bounds may be too wide. `sizes` and `places` are the bounds of the sizes and places with
/// these indices. Returns nullopt if a bound is missing or does not fit into 64 bits, or if a divisor may be 0.
std::optional<SizeBounds> boundsOfParts(const SizeExpression &expression, llvm::ArrayRef<SizeBounds> sizes,
                                        llvm::ArrayRef<SizeBounds> places);

/// Whether each size and place occurs at most once. Then all operands are independent and interval arithmetic is exact.
/// (Comparisons for equality are excluded: an even and an odd number are never equal, though their intervals overlap.)
bool isReadOnce(const SizeExpression &expression);

/// Whether the expression is a polynomial that is linear in each size and place. Then its extrema are at corners.
bool isMultilinear(const SizeExpression &expression);

/// Whether no term contains both sizes, which have these indices in the model's list of `count` sizes. Then a
/// multilinear expression is linear along each line in the plane of the two sizes.
bool areInSeparateTerms(const SizeExpression &expression, unsigned first, unsigned second, size_t count);

} // namespace heddle

#endif // HEDDLE_DIALECT_SIZEINTERVALS_H
