//===- Erf.cpp - erf of f32 as a polynomial -------------------------------===//

#include "Erf.h"

using namespace mlir;
using namespace heddle;

// Coefficients, highest power first, of the polynomial of degree 14 in t = 2 (x/3.8)^2 - 1 that approximates erf(x)/x
// on |x| <= 3.8. Beyond 3.8, where erf differs from 1 by less than 8e-8, the result is constant. The relative error of
// the approximation is 9.5e-8. The variable is t, which lies in [-1, 1], because terms in powers of x^2 would cancel
// each other. With the rounding of f32 arithmetic, the absolute error of erf is 2.1e-7, and the relative error is 3e-7
// down to the smallest normal number.
static constexpr double erfEnd = 3.8;
static constexpr double erfCoefficients[] = {0.00111471652,  -0.00276698777, 0.00208686991,  -0.00309232995, 0.0102767637,
                                             -0.0185622685,  0.0265081059,   -0.0388198346,  0.0551085733,   -0.0725454539,
                                             0.0908260196,   -0.111182436,   0.137739822,    -0.185641289,   0.372107625};

/// Uses one polynomial for the whole range. (The expansion of upstream MLIR has a polynomial for each of four intervals
/// and selects the coefficients, which takes more instructions.)
Value heddle::emitErf(MathBuilder &b, Value x) {
  // Clamp x. NaN compares false with both limits, so it stays NaN.
  auto limit = [&](arith::CmpFPredicate beyond, Value end, Value x) -> Value {
    return arith::SelectOp::create(b, arith::CmpFOp::create(b, beyond, end, x), end, x);
  };
  x = limit(arith::CmpFPredicate::OLT, b.number(erfEnd), x);
  x = limit(arith::CmpFPredicate::OGT, b.number(-erfEnd), x);
  Value square = arith::MulFOp::create(b, x, x);
  Value t = math::FmaOp::create(b, square, b.number(2 / (erfEnd * erfEnd)), b.number(-1.0));
  return arith::MulFOp::create(b, x, b.polynomial(t, erfCoefficients));
}
