//===- ExpandTrigonometric.cpp - sin, cos and tan as arithmetic -----------===//

#include "AngleReduction.h"

using namespace mlir;
using namespace heddle;

namespace {

// Coefficients of (sin(r) - r) / r^3 and (cos(r) - 1 + r^2/2) / r^4 for |r| <= pi/4 in powers of r^2, highest power
// first, from Cephes. The error of sin is below 4e-9, and that of cos is below 2e-10.
constexpr double sinCoefficients[] = {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1};
constexpr double cosCoefficients[] = {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2};

/// Returns sin and cos of the reduced angle.
std::pair<DoubleWord, DoubleWord> sinAndCos32(MathBuilder &b, Value rest) {
  Value square = b.mul(rest, rest);
  Value sin = b.fma(b.mul(rest, square), b.polynomial(square, sinCoefficients), rest);
  Value cos = b.fma(b.mul(square, square), b.polynomial(square, cosCoefficients),
                    b.fma(square, b.number(-0.5), b.number(1.0)));
  return {{sin, nullptr}, {cos, nullptr}};
}

// The coefficients for f64, from fdlibm (Sun Microsystems, 1993). The error is below 4e-18.
constexpr double sinCoefficients64[] = {1.58969099521155010221e-10,  -2.50507602534068634195e-08,
                                        2.75573137070700676789e-06,  -1.98412698298579493134e-04,
                                        8.33333333332248946124e-03, -1.66666666666666324348e-01};
constexpr double cosCoefficients64[] = {-1.13596475577881948265e-11, 2.08757232129817482790e-09,
                                        -2.75573143513906633035e-07, 2.48015872894767294178e-05,
                                        -1.38888888888741095749e-03, 4.16666666666666019037e-02};

/// Returns sin and cos of the reduced angle `rest`. The low word of the angle is a small correction, which adds
/// low * cos(high) to sin and subtracts low * sin(high) from cos.
std::pair<DoubleWord, DoubleWord> sinAndCos64(MathBuilder &b, DoubleWord rest) {
  Value r = rest.high, square = b.mul(r, r), half = b.mul(square, b.number(0.5));
  Value sin = b.mul(b.mul(r, square), b.polynomial(square, sinCoefficients64));
  sin = b.add(sin, b.sub(rest.low, b.mul(rest.low, half)));
  // Compute 1 - r^2/2 with its rounding error. The error is added to the other terms.
  DoubleWord exact = exactProduct(b, r, r);
  DoubleWord cos = orderedSum(b, b.number(1.0), b.mul(exact.high, b.number(-0.5)));
  Value rounding = b.add(b.mul(exact.low, b.number(0.5)), b.mul(r, rest.low));
  Value last = b.fma(b.mul(square, square), b.polynomial(square, cosCoefficients64), b.sub(cos.low, rounding));
  return {orderedSum(b, r, sin), orderedSum(b, cos.high, last)};
}

std::pair<DoubleWord, DoubleWord> sinAndCos(MathBuilder &b, DoubleWord rest) {
  return b.isWide() ? sinAndCos64(b, rest) : sinAndCos32(b, rest.high);
}

/// Returns whether an integer is odd.
Value isOdd(MathBuilder &b, Value quarter) {
  return b.make<arith::CmpIOp>(arith::CmpIPredicate::ne, b.andBits(quarter, 1), b.integer(0));
}

/// Returns NaN if x is infinite or NaN, and `result` otherwise. `magnitude` is |x|.
Value finiteOnly(MathBuilder &b, Value x, Value magnitude, Value result) {
  Value finite = b.compare(arith::CmpFPredicate::OLT, magnitude, std::numeric_limits<double>::infinity());
  return b.select(finite, result, b.sub(x, x));
}

/// Computes sin(x) or cos(x). cos(x) is computed as sin(|x| + pi/2).
template <typename Op, bool isCos>
struct ExpandSinOrCos : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isF32OrF64(op))
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    MathBuilder b(op, rewriter);
    Value x = op.getOperand(), magnitude = b.magnitude(x);
    auto [rest, quarter] = reduceAngle(b, magnitude);
    auto [sin, cos] = sinAndCos(b, rest);
    if (isCos)
      quarter = b.addBits(quarter, b.integer(1));
    Value sign = b.shiftLeft(b.andBits(quarter, 2), b.width - 2);
    if (!isCos)
      sign = b.xorBits(sign, b.signBit(x));
    Value result = b.flipSign(b.select(isOdd(b, quarter), cos.high, sin.high), sign);
    rewriter.replaceOp(op, finiteOnly(b, x, magnitude, result));
    return success();
  }
};

/// Computes tan(x). For the reduced angle r, tan is sin(r)/cos(r), or -cos(r)/sin(r) if the number of the quarter is
/// odd.
struct ExpandTan : OpRewritePattern<math::TanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::TanOp op, PatternRewriter &rewriter) const override {
    if (!isF32OrF64(op))
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    MathBuilder b(op, rewriter);
    Value x = op.getOperand(), magnitude = b.magnitude(x);
    auto [rest, quarter] = reduceAngle(b, magnitude);
    auto [sin, cos] = sinAndCos(b, rest);
    Value odd = isOdd(b, quarter);
    Value result;
    if (b.isWide())
      result = quotient(b, select(b, odd, cos, sin), select(b, odd, sin, cos)).high;
    else
      result = b.div(b.select(odd, cos.high, sin.high), b.select(odd, sin.high, cos.high));
    Value sign = b.xorBits(b.shiftLeft(quarter, b.width - 1), b.signBit(x));
    rewriter.replaceOp(op, finiteOnly(b, x, magnitude, b.flipSign(result, sign)));
    return success();
  }
};

} // namespace

void heddle::populateExpandTrigonometric(RewritePatternSet &patterns, PatternBenefit benefit) {
  patterns.add<ExpandSinOrCos<math::SinOp, false>, ExpandSinOrCos<math::CosOp, true>, ExpandTan>(
      patterns.getContext(), benefit);
}
