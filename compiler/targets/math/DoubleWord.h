//===- DoubleWord.h - numbers as sums of two floats -------------*- C++ -*-===//
//
// Double-word arithmetic represents a number as the sum of two floats, for
// intermediate results that need twice the digits of one float (Dekker 1971;
// Joldes, Muller and Popescu, "Tight and rigorous error bounds for basic
// building blocks of double-word arithmetic", 2017). The arithmetic does not
// use FMA, because some targets have none. Instead, the error of a product is
// computed from factors that bit masks split into halves.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TARGETS_MATH_DOUBLEWORD_H
#define HEDDLE_TARGETS_MATH_DOUBLEWORD_H

#include "MathBuilder.h"

namespace heddle {

/// The number high + low, where |low| is at most about one unit in the last place of high.
struct DoubleWord {
  mlir::Value high, low;
};

/// Returns a constant as a double word.
DoubleWord doubleWord(MathBuilder &b, double high, double low);

/// Returns the rounded sum x + y as `high` and its rounding error as `low`. Requires |x| >= |y| or x = 0.
DoubleWord orderedSum(MathBuilder &b, mlir::Value x, mlir::Value y);

/// Returns the rounded sum x + y as `high` and its rounding error as `low`, for any x and y.
DoubleWord exactSum(MathBuilder &b, mlir::Value x, mlir::Value y);

/// Returns the rounded product x y as `high` and its rounding error as `low`. The error is exact for f32. For f64, it
/// may be wrong by up to 2^-104 of the product.
DoubleWord exactProduct(MathBuilder &b, mlir::Value x, mlir::Value y);

/// Returns x y. The precision of the result is twice the number of binary digits of the type, minus two or three.
DoubleWord product(MathBuilder &b, DoubleWord x, DoubleWord y);
DoubleWord product(MathBuilder &b, DoubleWord x, mlir::Value y);

/// Returns x / y with the precision of `product`.
DoubleWord quotient(MathBuilder &b, DoubleWord x, DoubleWord y);

/// Returns the square root of a non-negative number with the precision of `product`.
DoubleWord squareRoot(MathBuilder &b, DoubleWord x);

/// Selects both words of x, or both words of y.
DoubleWord select(MathBuilder &b, mlir::Value condition, DoubleWord x, DoubleWord y);

} // namespace heddle

#endif // HEDDLE_TARGETS_MATH_DOUBLEWORD_H
