//===- DoubleWord.cpp - numbers as sums of two floats ---------------------===//

#include "DoubleWord.h"

using namespace mlir;
using namespace heddle;

DoubleWord heddle::doubleWord(MathBuilder &b, double high, double low) { return {b.number(high), b.number(low)}; }

DoubleWord heddle::orderedSum(MathBuilder &b, Value x, Value y) {
  Value sum = b.add(x, y);
  return {sum, b.sub(y, b.sub(sum, x))};
}

DoubleWord heddle::exactSum(MathBuilder &b, Value x, Value y) {
  Value sum = b.add(x, y), yPart = b.sub(sum, x), xPart = b.sub(sum, yPart);
  return {sum, b.add(b.sub(x, xPart), b.sub(y, yPart))};
}

/// Splits x into a number with the leading half of its digits and the remainder, so that the product of a part of x and
/// a part of another number is exact. The only exception is the product of two remainders of f64. They have up to 27
/// digits each, so their product may be rounded to 53 digits.
static DoubleWord split(MathBuilder &b, Value x) {
  int64_t rest = (int64_t(1) << (b.isWide() ? 27 : 12)) - 1;
  Value high = b.ofBits(b.andBits(b.bitsOf(x), ~rest));
  return {high, b.sub(x, high)};
}

DoubleWord heddle::exactProduct(MathBuilder &b, Value x, Value y) {
  DoubleWord xParts = split(b, x), yParts = split(b, y);
  Value product = b.mul(x, y);
  Value error = b.sub(b.mul(xParts.high, yParts.high), product);
  error = b.add(b.add(error, b.mul(xParts.high, yParts.low)), b.mul(xParts.low, yParts.high));
  return {product, b.add(error, b.mul(xParts.low, yParts.low))};
}

DoubleWord heddle::product(MathBuilder &b, DoubleWord x, DoubleWord y) {
  DoubleWord result = exactProduct(b, x.high, y.high);
  Value cross = b.add(b.mul(x.high, y.low), b.mul(x.low, y.high));
  return orderedSum(b, result.high, b.add(result.low, cross));
}

DoubleWord heddle::product(MathBuilder &b, DoubleWord x, Value y) {
  DoubleWord result = exactProduct(b, x.high, y);
  return orderedSum(b, result.high, b.add(result.low, b.mul(x.low, y)));
}

DoubleWord heddle::quotient(MathBuilder &b, DoubleWord x, DoubleWord y) {
  Value high = b.div(x.high, y.high);
  DoubleWord back = exactProduct(b, high, y.high);
  Value rest = b.add(b.sub(b.sub(x.high, back.high), back.low), b.sub(x.low, b.mul(high, y.low)));
  return orderedSum(b, high, b.div(rest, y.high));
}

DoubleWord heddle::squareRoot(MathBuilder &b, DoubleWord x) {
  Value root = b.make<math::SqrtOp>(x.high);
  // The low word is a step of Newton's method: the difference between x and the square of the rounded root, divided by
  // twice the root.
  DoubleWord back = exactProduct(b, root, root);
  Value rest = b.add(b.sub(b.sub(x.high, back.high), back.low), x.low);
  Value low = b.div(rest, b.add(root, root));
  return {root, b.select(b.compare(arith::CmpFPredicate::OGT, root, 0.0), low, b.number(0.0))};
}

DoubleWord heddle::select(MathBuilder &b, Value condition, DoubleWord x, DoubleWord y) {
  return {b.select(condition, x.high, y.high), b.select(condition, x.low, y.low)};
}
