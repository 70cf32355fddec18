//===- ExpandDouble.cpp - erf, tanh and expm1 of f64 ----------------------===//
//
// This file expands functions of f64 that activations use. erf and tanh have a
// rational function for small x and another formula for larger x. The code
// computes both and selects one result. The rational functions are from
// Moshier's library Cephes. Each of them is accurate to the last digit or two
// in its range.
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"

using namespace mlir;
using namespace heddle;

// erf(x)/x in powers of x^2 for |x| <= 1, and erfc(x) exp(x^2) in powers of x for x > 1, each as a numerator and a
// denominator, highest power first.
constexpr double erfNumerator[] = {9.60497373987051638749, 90.0260197203842689217, 2232.00534594684319226,
                                   7003.32514112805075473, 55592.3013010394962768};
constexpr double erfDenominator[] = {1.0,
                                     33.5617141647503099647,
                                     521.357949780152679795,
                                     4594.32382970980127987,
                                     22629.0000613890934246,
                                     49267.3942608635921086};
constexpr double erfcNumerator[] = {2.46196981473530512524e-10, 0.564189564831068821977, 7.46321056442269912687,
                                    48.6371970985681366614,     196.520832956077098242,  526.445194995477358631,
                                    934.528527171957607540,     1027.55188689515710272,  557.535335369399327526};
constexpr double erfcDenominator[] = {1.0,
                                      13.2281951154744992508,
                                      86.7072140885989742329,
                                      354.937778887819891062,
                                      975.708501743205489753,
                                      1823.90916687909736289,
                                      2246.33760818710981792,
                                      1656.66309194161350182,
                                      557.535340817727675546};
// (tanh(x) - x) / x^3 in powers of x^2 for |x| < 0.625, as a numerator and a denominator, highest power first.
constexpr double tanhNumerator[] = {-0.964399179425052238628, -99.2877231001918586564, -1614.68768441708447952};
constexpr double tanhDenominator[] = {1.0, 112.811678491632931402, 2235.48839060100448583, 4844.06305325125486048};

/// Evaluates a rational function at x.
static Value quotient(MathBuilder &b, Value x, ArrayRef<double> numerator, ArrayRef<double> denominator) {
  return b.div(b.polynomial(x, numerator), b.polynomial(x, denominator));
}

/// Returns min(|x|, `end`), or NaN if x is NaN. The caller, which computes erf(x) or tanh(x), must choose `end` so that
/// erf(x) or tanh(x) is 1 in f64 for every x >= `end`.
static Value magnitudeUpTo(MathBuilder &b, Value x, double end) {
  Value magnitude = b.make<math::AbsFOp>(x);
  return b.select(b.compare(arith::CmpFPredicate::OGT, magnitude, end), b.number(end), magnitude);
}

/// Returns erf(|x|).
static Value erf(MathBuilder &b, Value x) {
  Value magnitude = magnitudeUpTo(b, x, 6.0), square = b.mul(magnitude, magnitude);
  Value small = b.mul(magnitude, quotient(b, square, erfNumerator, erfDenominator));
  Value tail =
      b.mul(b.make<math::ExpOp>(b.make<arith::NegFOp>(square)), quotient(b, magnitude, erfcNumerator, erfcDenominator));
  Value large = b.sub(b.number(1.0), tail);
  return b.select(b.compare(arith::CmpFPredicate::OLE, magnitude, 1.0), small, large);
}

/// Returns tanh(|x|), which is 1 - 2 / (exp(2 |x|) + 1) for |x| >= 0.625.
static Value tanh(MathBuilder &b, Value x) {
  Value magnitude = magnitudeUpTo(b, x, 20.0), square = b.mul(magnitude, magnitude);
  Value small = b.fma(b.mul(magnitude, square), quotient(b, square, tanhNumerator, tanhDenominator), magnitude);
  Value power = b.make<math::ExpOp>(b.add(magnitude, magnitude));
  Value large = b.sub(b.number(1.0), b.div(b.number(2.0), b.add(power, b.number(1.0))));
  return b.select(b.compare(arith::CmpFPredicate::OLT, magnitude, 0.625), small, large);
}

namespace {
/// Computes expm1(x) as 2 t / (1 - t) with t = tanh(x/2) for x < 1, because the subtraction in exp(x) - 1 cancels
/// digits near 0. Computes exp(x) - 1 for larger x.
struct ExpandExpM1 : OpRewritePattern<math::ExpM1Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpM1Op op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF64())
      return rewriter.notifyMatchFailure(op, "not f64");
    MathBuilder b(op, rewriter);
    Value x = op.getOperand(), t = b.make<math::TanhOp>(b.mul(x, b.number(0.5)));
    Value near = b.div(b.add(t, t), b.sub(b.number(1.0), t));
    Value far = b.sub(b.make<math::ExpOp>(x), b.number(1.0));
    rewriter.replaceOp(op, b.select(b.compare(arith::CmpFPredicate::OLT, x, 1.0), near, far));
    return success();
  }
};

/// Replaces an odd function of f64 by the result of `expand`, with the sign of x. `expand` returns the function of |x|.
template <typename Op, Value (*expand)(MathBuilder &, Value)>
struct ExpandDoubleOdd : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF64())
      return rewriter.notifyMatchFailure(op, "not f64");
    MathBuilder b(op, rewriter);
    rewriter.replaceOpWithNewOp<math::CopySignOp>(op, expand(b, op.getOperand()), op.getOperand());
    return success();
  }
};
} // namespace

void heddle::populateExpandDouble(RewritePatternSet &patterns, PatternBenefit benefit) {
  patterns.add<ExpandDoubleOdd<math::ErfOp, erf>, ExpandDoubleOdd<math::TanhOp, tanh>, ExpandExpM1>(patterns.getContext(), benefit);
}
