//===- DoubleWord.h - numbers as sums of two floats -------------*- C++ -*-===//
//
// Double-word arithmetic (Dekker 1971; Joldes, Muller and Popescu, "Tight and
// rigorous error bounds for basic building blocks of double-word arithmetic",
// 2017), for intermediate results that need twice the digits of one word. It
// does not use FMA, which not every target has: products are split by masks.
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

/// Returns a constant in two words.
DoubleWord doubleWord(MathBuilder &b, double high, double low);

/// Returns x + y with its rounding error as `low`, where |x| >= |y| or x is 0.
DoubleWord orderedSum(MathBuilder &b, mlir::Value x, mlir::Value y);

/// Returns x + y with its rounding error as `low`, for any two numbers.
DoubleWord exactSum(MathBuilder &b, mlir::Value x, mlir::Value y);

/// Returns x y with its rounding error as `low`, exact to the last digit of the error.
DoubleWord exactProduct(MathBuilder &b, mlir::Value x, mlir::Value y);

/// Returns x y with twice the digits, minus two or three bits.
DoubleWord product(MathBuilder &b, DoubleWord x, DoubleWord y);
DoubleWord product(MathBuilder &b, DoubleWord x, mlir::Value y);

/// Returns x / y with the same precision.
DoubleWord quotient(MathBuilder &b, DoubleWord x, DoubleWord y);

/// Returns the square root of a non-negative number.
DoubleWord squareRoot(MathBuilder &b, DoubleWord x);

/// Selects word by word.
DoubleWord select(MathBuilder &b, mlir::Value condition, DoubleWord x, DoubleWord y);

} // namespace heddle

#endif // HEDDLE_TARGETS_MATH_DOUBLEWORD_H
