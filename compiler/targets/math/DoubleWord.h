//===- DoubleWord.h - numbers as sums of two --------------------*- C++ -*-===//
//
// Double-word arithmetic (Dekker 1971; Joldes, Muller and Popescu, "Tight and rigorous error bounds for basic building
// blocks of double-word arithmetic", 2017): twice the digits where one word's are too few on the way to a result.
// Nothing here counts on FMA, which not every target has: products are split by masks.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TARGETS_MATH_DOUBLEWORD_H
#define HEDDLE_TARGETS_MATH_DOUBLEWORD_H

#include "MathBuilder.h"

namespace heddle {

/// high + low, where low is at most about the last digit of high.
struct DoubleWord {
  mlir::Value high, low;
};

/// A constant in two words.
DoubleWord doubleWord(MathBuilder &b, double high, double low);

/// x + y and what rounding took from it, where |x| >= |y| or x is 0.
DoubleWord orderedSum(MathBuilder &b, mlir::Value x, mlir::Value y);

/// The same of any two numbers.
DoubleWord exactSum(MathBuilder &b, mlir::Value x, mlir::Value y);

/// x y and what rounding took from it, to within the last digit of that.
DoubleWord exactProduct(MathBuilder &b, mlir::Value x, mlir::Value y);

/// x y to twice the digits, less two or three bits.
DoubleWord product(MathBuilder &b, DoubleWord x, DoubleWord y);
DoubleWord product(MathBuilder &b, DoubleWord x, mlir::Value y);

/// x / y likewise.
DoubleWord quotient(MathBuilder &b, DoubleWord x, DoubleWord y);

/// The root of a number that is not negative.
DoubleWord squareRoot(MathBuilder &b, DoubleWord x);

/// One of two, word by word.
DoubleWord select(MathBuilder &b, mlir::Value condition, DoubleWord x, DoubleWord y);

} // namespace heddle

#endif // HEDDLE_TARGETS_MATH_DOUBLEWORD_H
