//===- ExpandArc.cpp - asin and atan as arithmetic ------------------------===//

#include "MathBuilder.h"

using namespace mlir;
using namespace heddle;

namespace {

// (asin(r) - r) / r^3 for r <= 1/2, in r^2, highest power first: Cephes' coefficients, 5e-9 from asin.
constexpr double asinCoefficients[] = {4.2163199048e-2, 2.4181311049e-2, 4.5470025998e-2, 7.4953002686e-2,
                                       1.6666752422e-1};

/// asin of up to 1/2; beyond it pi/2 - 2 asin(sqrt((1 - x) / 2)), which is NaN beyond 1.
struct ExpandAsin : OpRewritePattern<math::AsinOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::AsinOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    MathBuilder b(op, rewriter);
    Value x = b.magnitude(op.getOperand()), large = b.compare(arith::CmpFPredicate::OGT, x, 0.5);
    Value square = b.select(large, b.mul(b.sub(b.number(1.0), x), b.number(0.5)), b.mul(x, x));
    Value r = b.select(large, b.make<math::SqrtOp>(square), x);
    Value asin = b.fma(b.mul(r, square), b.polynomial(square, asinCoefficients), r);
    Value result = b.select(large, b.fma(asin, b.number(-2.0), b.number(llvm::numbers::pi / 2)), asin);
    rewriter.replaceOp(op, b.flipSign(result, b.signBit(op.getOperand())));
    return success();
  }
};

// (atan(r) - r) / r^3 for |r| <= tan(pi/8), in r^2, highest power first: Cephes' coefficients, 2.1e-8 from atan.
constexpr double atanCoefficients[] = {8.05374449538e-2, -1.38776856032e-1, 1.99777106478e-1, -3.33329491539e-1};

/// atan of up to tan(pi/8); beyond it pi/4 + atan((x - 1) / (x + 1)), and from tan(3 pi/8) on pi/2 - atan(1/x).
struct ExpandAtan : OpRewritePattern<math::AtanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::AtanOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    MathBuilder b(op, rewriter);
    Value x = b.magnitude(op.getOperand()), one = b.number(1.0), zero = b.number(0.0);
    Value middle = b.compare(arith::CmpFPredicate::OGT, x, 0.4142135623730950);
    Value large = b.compare(arith::CmpFPredicate::OGT, x, 2.414213562373095);
    auto choose = [&](Value ifLarge, Value ifMiddle, Value otherwise) {
      return b.select(large, ifLarge, b.select(middle, ifMiddle, otherwise));
    };
    Value r = b.div(choose(b.number(-1.0), b.sub(x, one), x), choose(x, b.add(x, one), one));
    Value start = choose(b.number(llvm::numbers::pi / 2), b.number(llvm::numbers::pi / 4), zero);
    Value square = b.mul(r, r);
    Value atan = b.fma(b.mul(r, square), b.polynomial(square, atanCoefficients), r);
    rewriter.replaceOp(op, b.flipSign(b.add(start, atan), b.signBit(op.getOperand())));
    return success();
  }
};

} // namespace

void heddle::populateExpandArc(RewritePatternSet &patterns, PatternBenefit benefit) {
  patterns.add<ExpandAsin, ExpandAtan>(patterns.getContext(), benefit);
}
