//===- PowerOfTwo.cpp - powers of two -------------------------------------===//

#include "PowerOfTwo.h"

using namespace mlir;
using namespace heddle;

// The Taylor coefficients of (exp(t) - 1 - t) / t^2 for |t| <= log(2)/2, highest power first.
constexpr double exp32[] = {1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5};
constexpr double exp64[] = {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800,
                            1.0 / 362880,     1.0 / 40320,     1.0 / 5040,     1.0 / 720,
                            1.0 / 120,        1.0 / 24,        1.0 / 6,        0.5};

Value heddle::powerOfTwo(MathBuilder &b, DoubleWord x, int64_t shift) {
  Value high = b.upTo(b.isWide() ? 1200.0 : 200.0, x.high), low = b.upTo(1.0, x.low);
  double round = b.isWide() ? 0x1.8p52 : 0x1.8p23;
  Value shifted = b.add(high, b.number(round)), n = b.sub(shifted, b.number(round));
  // Compute 2^x as 2^n e^t with t = (x - n) log(2). Use double words until the last sum, so that the result is exact if
  // 2^x is representable.
  DoubleWord ln2 = b.isWide() ? doubleWord(b, 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56)
                              : doubleWord(b, 0x1.62e43p-1, -0x1.05c61p-29);
  DoubleWord t = product(b, orderedSum(b, b.sub(high, n), low), ln2);
  Value rest = b.polynomial(t.high, b.isWide() ? ArrayRef(exp64) : ArrayRef(exp32));
  DoubleWord sum = orderedSum(b, b.number(1.0), t.high);
  Value p = b.add(sum.high, b.add(sum.low, b.fma(b.mul(t.high, t.high), rest, t.low)));
  // Multiply by two powers of two, each with half of the exponent n + shift. Both powers are normal numbers even if the
  // result overflows or is denormal, and only the second product rounds.
  Value whole = b.addBits(b.bitsOf(shifted), b.integer(shift - b.wordOf(round)));
  Value half = b.make<arith::ShRSIOp>(whole, b.integer(1));
  for (Value exponent : {half, b.make<arith::SubIOp>(whole, half)})
    p = b.mul(p, b.ofBits(b.shiftLeft(b.addBits(exponent, b.integer(b.bias())), b.fractionBits())));
  return p;
}

Value heddle::exponential(MathBuilder &b, DoubleWord x, int64_t shift) {
  DoubleWord log2e = doubleWord(b, 0x1.71547652b82fep0, 0x1.777d0ffda0d24p-56);
  return powerOfTwo(b, product(b, {b.upTo(1200.0, x.high), x.low}, log2e), shift);
}
