//===- Logarithm.cpp - accurate binary logarithms -------------------------===//
//
// The method is that of pow in fdlibm (Sun Microsystems, 1993). x is written
// as 2^n c (1+s)/(1-s), where c is 1 or 1.5 and |s| <= 0.102. The natural
// logarithm of (1+s)/(1-s) is 2/3 s (3 + s^2 + 3/5 s^4 + 3/7 s^6 + ...). The
// terms up to s^2 are computed as double words.
//
//===----------------------------------------------------------------------===//

#include "Logarithm.h"

using namespace mlir;
using namespace heddle;

// The coefficients 3/5, 3/7, ... of the terms that affect the result, highest power first.
constexpr double series32[] = {3.0 / 11, 3.0 / 9, 3.0 / 7, 3.0 / 5};
constexpr double series64[] = {3.0 / 19, 3.0 / 17, 3.0 / 15, 3.0 / 13, 3.0 / 11, 3.0 / 9, 3.0 / 7, 3.0 / 5};

DoubleWord heddle::binaryLogarithm(MathBuilder &b, Value x) {
  bool wide = b.isWide();
  // A denormal number is scaled to a normal one, and the exponent is corrected afterwards.
  Value small = b.compare(arith::CmpFPredicate::OLT, x, wide ? 0x1p-1022 : 0x1p-126);
  x = b.select(small, b.mul(x, b.number(wide ? 0x1p54 : 0x1p24)), x);
  Value moved = b.select(small, b.number(wide ? -54.0 : -24.0), b.number(0.0));
  // Compute m = x 2^-n between sqrt(3)/2 and sqrt(3). After the bits of sqrt(3)/2 are subtracted from the bits of x,
  // the bits above the fraction are n.
  Value word = b.bitsOf(x);
  Value above = b.addBits(word, b.integer(-b.wordOf(0.8660254037844386)));
  Value exponent = b.make<arith::ShRSIOp>(above, b.integer(b.fractionBits()));
  Value m = b.ofBits(b.make<arith::SubIOp>(word, b.shiftLeft(exponent, b.fractionBits())));
  Value n = b.add(b.make<arith::SIToFPOp>(b.type, exponent), moved);

  Value upper = b.compare(arith::CmpFPredicate::OGE, m, 1.224744871391589);
  Value c = b.select(upper, b.number(1.5), b.number(1.0));
  DoubleWord s = quotient(b, {b.sub(m, c), b.number(0.0)}, exactSum(b, m, c));
  DoubleWord square = product(b, s, s);
  Value rest = b.polynomial(square.high, wide ? ArrayRef(series64) : ArrayRef(series32));
  rest = b.mul(b.mul(square.high, square.high), rest);
  DoubleWord series = orderedSum(b, b.number(3.0), square.high);
  series.low = b.add(series.low, b.add(square.low, rest));
  DoubleWord log = product(b, s, orderedSum(b, series.high, series.low));

  // The constant `unit` is 2/3 of 1 / log(2). The binary logarithm of c is in two words, of which the first has so few
  // digits that adding n to it is exact.
  DoubleWord unit = wide ? doubleWord(b, 0x1.ec709dc3a03fdp-1, 0x1.d27f05548af0cp-55)
                         : doubleWord(b, 0x1.ec709ep-1, -0x1.e2fe02p-28);
  log = product(b, log, unit);
  Value whole = b.add(n, b.select(upper, b.number(wide ? 0x1.2b8034p-1 : 0x1.2b8p-1), b.number(0.0)));
  Value below = b.select(upper, b.number(wide ? 0x1.cfdeb43cfd006p-27 : 0x1.a39fbep-20), b.number(0.0));
  DoubleWord result = exactSum(b, whole, log.high);
  return orderedSum(b, result.high, b.add(result.low, b.add(log.low, below)));
}
