//===- ExpandArc.cpp - asin, acos, atan and atan2 as arithmetic -----------===//

#include "DoubleWord.h"
#include "ExpandOdd.h"

using namespace mlir;
using namespace heddle;

namespace {

// Coefficients of (asin(r) - r) / r^3 for 0 <= r <= 1/2 in powers of r^2, highest power first, from Cephes. The error
// of asin is below 5e-9.
constexpr double asinCoefficients[] = {4.2163199048e-2, 2.4181311049e-2, 4.5470025998e-2, 7.4953002686e-2,
                                       1.6666752422e-1};

/// Returns asin(x) for x >= 0: the polynomial for x <= 1/2, and pi/2 - 2 asin(sqrt((1 - x) / 2)) for larger x. The
/// result is NaN for x > 1.
Value asin32(MathBuilder &b, Value x) {
  Value large = b.compare(arith::CmpFPredicate::OGT, x, 0.5);
  Value square = b.select(large, b.mul(b.sub(b.number(1.0), x), b.number(0.5)), b.mul(x, x));
  Value r = b.select(large, b.make<math::SqrtOp>(square), x);
  Value asin = b.fma(b.mul(r, square), b.polynomial(square, asinCoefficients), r);
  return b.select(large, b.fma(asin, b.number(-2.0), b.number(llvm::numbers::pi / 2)), asin);
}

// The numerator and the denominator of (asin(r) - r) / r^3 for 0 <= r <= 1/2, in powers of r^2, highest power first,
// from fdlibm (Sun Microsystems, 1993). The error of asin is below 9e-19.
constexpr double asinNumerator64[] = {3.47933107596021167570e-05,  7.91534994289814532176e-04,
                                      -4.00555345006794114027e-02, 2.01212532134862925881e-01,
                                      -3.25565818622400915405e-01, 1.66666666666666657415e-01};
constexpr double asinDenominator64[] = {7.70381505559019352791e-02, -6.88283971605453293030e-01,
                                        2.02094576023350569471e+00, -2.40339491173441421878e+00, 1.0};
constexpr double halfPi = 0x1.921fb54442d18p0, halfPiLow = 0x1.1a62633145c07p-54;

/// Returns asin(sqrt((1 - x) / 2)) where `large` is true, and asin(x) elsewhere, as a double word. The caller sets
/// `large` to x > 1/2.
DoubleWord smallAsin64(MathBuilder &b, Value x, Value large) {
  Value square = b.select(large, b.mul(b.sub(b.number(1.0), x), b.number(0.5)), b.mul(x, x));
  Value zero = b.number(0.0);
  DoubleWord r = select(b, large, squareRoot(b, {square, zero}), {x, zero});
  Value ratio = b.div(b.polynomial(square, asinNumerator64), b.polynomial(square, asinDenominator64));
  return orderedSum(b, r.high, b.fma(b.mul(r.high, square), ratio, r.low));
}

/// Returns `high` + `low` + factor x. Requires |high| >= |factor x|.
Value plus(MathBuilder &b, double high, double low, DoubleWord x, Value factor) {
  DoubleWord sum = orderedSum(b, b.number(high), b.mul(x.high, factor));
  return b.add(sum.high, b.add(sum.low, b.fma(x.low, factor, b.number(low))));
}

/// Returns asin(x) for x >= 0, by the same formulas as asin32.
Value asin64(MathBuilder &b, Value x) {
  Value large = b.compare(arith::CmpFPredicate::OGT, x, 0.5);
  DoubleWord asin = smallAsin64(b, x, large);
  return b.select(large, plus(b, halfPi, halfPiLow, asin, b.number(-2.0)), asin.high);
}

/// Returns acos(x). If a is the result of smallAsin64 for |x|, acos(x) is 2 a for x > 1/2, pi/2 - a for x from 0 to
/// 1/2, pi/2 + a for x from -1/2 to 0, and pi - 2 a for x < -1/2.
Value acos64(MathBuilder &b, Value input) {
  Value x = b.magnitude(input), large = b.compare(arith::CmpFPredicate::OGT, x, 0.5);
  Value negative = b.compare(arith::CmpFPredicate::OLT, input, 0.0);
  DoubleWord asin = smallAsin64(b, x, large);
  Value minusSign = b.select(negative, b.number(1.0), b.number(-1.0));
  Value middle = plus(b, halfPi, halfPiLow, asin, minusSign);
  Value far = plus(b, 2 * halfPi, 2 * halfPiLow, asin, b.number(-2.0)), near = b.add(asin.high, asin.high);
  return b.select(large, b.select(negative, far, near), middle);
}

// Coefficients of (atan(r) - r) / r^3 for |r| <= tan(pi/8) in powers of r^2, highest power first, from Cephes. The
// error of atan is below 2.1e-8.
constexpr double atanCoefficients[] = {8.05374449538e-2, -1.38776856032e-1, 1.99777106478e-1, -3.33329491539e-1};

/// Returns atan(x) for x >= 0: the polynomial for x <= tan(pi/8), pi/4 + atan((x - 1) / (x + 1)) for x up to
/// tan(3 pi/8), and pi/2 - atan(1/x) for larger x.
Value atan32(MathBuilder &b, Value x) {
  Value one = b.number(1.0), zero = b.number(0.0);
  Value middle = b.compare(arith::CmpFPredicate::OGT, x, 0.4142135623730950);
  Value large = b.compare(arith::CmpFPredicate::OGT, x, 2.414213562373095);
  auto choose = [&](Value ifLarge, Value ifMiddle, Value otherwise) {
    return b.select(large, ifLarge, b.select(middle, ifMiddle, otherwise));
  };
  Value r = b.div(choose(b.number(-1.0), b.sub(x, one), x), choose(x, b.add(x, one), one));
  Value start = choose(b.number(llvm::numbers::pi / 2), b.number(llvm::numbers::pi / 4), zero);
  Value square = b.mul(r, r);
  Value atan = b.fma(b.mul(r, square), b.polynomial(square, atanCoefficients), r);
  return b.add(start, atan);
}

// Coefficients of (r - atan(r)) / r^3 for |r| <= 7/16 in powers of r^2, highest power first, from fdlibm. The error of
// atan is below 5e-18.
constexpr double atanCoefficients64[] = {1.62858201153657823623e-02,  -3.65315727442169155270e-02,
                                         4.97687799461593236017e-02,  -5.83357013379057348645e-02,
                                         6.66107313738753120669e-02,  -7.69187620504482999495e-02,
                                         9.09088713343650656196e-02,  -1.11111104054623557880e-01,
                                         1.42857142725034663711e-01,  -1.99999999998764832476e-01,
                                         3.33333333333329318027e-01};

/// Returns atan(x) for x >= 0: the polynomial for x < 7/16, and atan(c) + atan((x - c) / (1 + c x)) for other x, where
/// c is 1/2, 1, 3/2 or infinity, depending on x.
Value atan64(MathBuilder &b, Value x) {
  struct {
    double from, c, high, low; // `c` is used for x >= `from`; `high` + `low` is atan(c)
  } const steps[] = {{0.4375, 0.5, 0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                     {0.6875, 1.0, 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
                     {1.1875, 1.5, 0x1.f730bd281f69bp-1, 0x1.007887af0cbbdp-56}};
  Value above = x, below = b.number(1.0), high = b.number(0.0), low = high;
  for (auto [from, c, ofHigh, ofLow] : steps) {
    Value beyond = b.compare(arith::CmpFPredicate::OGE, x, from);
    above = b.select(beyond, b.sub(x, b.number(c)), above);
    below = b.select(beyond, b.fma(x, b.number(c), b.number(1.0)), below);
    high = b.select(beyond, b.number(ofHigh), high), low = b.select(beyond, b.number(ofLow), low);
  }
  Value large = b.compare(arith::CmpFPredicate::OGE, x, 2.4375);
  above = b.select(large, b.number(-1.0), above), below = b.select(large, x, below);
  high = b.select(large, b.number(halfPi), high), low = b.select(large, b.number(halfPiLow), low);
  Value r = b.div(above, below), square = b.mul(r, r);
  Value rest = b.sub(b.mul(b.mul(r, square), b.polynomial(square, atanCoefficients64)), low);
  return b.add(high, b.sub(r, rest));
}

/// Replaces acos of f64. (A pattern of upstream MLIR replaces acos of f32.)
struct ExpandAcos : OpRewritePattern<math::AcosOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::AcosOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF64())
      return rewriter.notifyMatchFailure(op, "not f64");
    MathBuilder b(op, rewriter);
    rewriter.replaceOp(op, acos64(b, op.getOperand()));
    return success();
  }
};

/// Computes atan2(y, x). The magnitudes of x and y give an angle in the first quarter of the circle: the atan of the
/// smaller magnitude divided by the larger one, or pi/2 minus this atan if |y| > |x|. If x is negative, the angle is
/// subtracted from pi. The result has the sign of y. As in Annex F of the C standard, zeros have signs, and two
/// infinities are equally large.
struct ExpandAtan2 : OpRewritePattern<math::Atan2Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Atan2Op op, PatternRewriter &rewriter) const override {
    if (!isF32OrF64(op))
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    MathBuilder b(op, rewriter);
    Value y = b.magnitude(op.getLhs()), x = b.magnitude(op.getRhs());
    auto compare = [&](arith::CmpFPredicate predicate, Value a, Value c) -> Value {
      return b.make<arith::CmpFOp>(predicate, a, c);
    };
    Value steep = compare(arith::CmpFPredicate::OGT, y, x);
    Value maximum = b.select(steep, y, x), minimum = b.select(steep, x, y);
    Value tangent = b.div(minimum, maximum);
    tangent = b.select(compare(arith::CmpFPredicate::OEQ, minimum, maximum), b.number(1.0), tangent);
    tangent = b.select(b.compare(arith::CmpFPredicate::OEQ, minimum, 0.0), b.number(0.0), tangent);
    Value angle = b.isWide() ? atan64(b, tangent) : atan32(b, tangent);
    constexpr double pi = llvm::numbers::pi;
    double low = b.isWide() ? halfPiLow : pi / 2 - double(float(pi / 2));
    angle = b.select(steep, b.sub(b.number(pi / 2), b.sub(angle, b.number(low))), angle);
    Value behind = b.make<arith::CmpIOp>(arith::CmpIPredicate::slt, b.bitsOf(op.getRhs()), b.integer(0));
    angle = b.select(behind, b.sub(b.number(pi), b.sub(angle, b.number(2 * low))), angle);
    angle = b.flipSign(angle, b.signBit(op.getLhs()));
    Value number = compare(arith::CmpFPredicate::ORD, x, y);
    rewriter.replaceOp(op, b.select(number, angle, b.add(x, y)));
    return success();
  }
};

} // namespace

void heddle::populateExpandArc(RewritePatternSet &patterns, PatternBenefit benefit) {
  patterns.add<ExpandOdd<math::AsinOp, byWidth<asin32, asin64>>, ExpandOdd<math::AtanOp, byWidth<atan32, atan64>>,
               ExpandAcos, ExpandAtan2>(patterns.getContext(), benefit);
}
