//===- ExpandCubeRoot.cpp - cbrt as arithmetic ----------------------------===//

#include "MathBuilder.h"

using namespace mlir;
using namespace heddle;

namespace {

/// Computes the cube root by Halley's method. The bits of the first approximation are the bits of the number, divided
/// by 3 as an integer, plus a constant. The error of this approximation is at most 3.3%. The first step reduces the
/// error to 2.1e-5, and the second step to the last digit of f32. For f64, a third step gives all digits. Each step
/// adds a small increment to the root, so the rounding errors of the increment hardly affect the root.
struct ExpandCubeRoot : OpRewritePattern<math::CbrtOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::CbrtOp op, PatternRewriter &rewriter) const override {
    if (!isF32OrF64(op))
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    MathBuilder b(op, rewriter);
    Value input = op.getOperand(), magnitude = b.magnitude(input);
    // Scale denormal numbers up to normal numbers. Scale large numbers down, because three times the number may
    // overflow.
    Value small = b.compare(arith::CmpFPredicate::OLT, magnitude, b.isWide() ? 0x1p-1022 : 0x1p-126);
    Value large = b.compare(arith::CmpFPredicate::OGT, magnitude, b.isWide() ? 0x1p1000 : 0x1p120);
    auto scale = [&](double ifSmall) {
      return b.select(small, b.number(ifSmall), b.select(large, b.number(1 / ifSmall), b.number(1.0)));
    };
    Value x = b.mul(magnitude, scale(b.isWide() ? 0x1p54 : 0x1p24));
    Value third = b.make<arith::DivUIOp>(b.bitsOf(x), b.integer(3));
    // The constant is two thirds of the exponent's bias, as an exponent field, minus the mean error of the
    // approximation.
    Value root = b.ofBits(b.addBits(third, b.integer(b.isWide() ? 0x2a9f789300000000 : 0x2a5119f2)));
    for (int step = 0; step < (b.isWide() ? 3 : 2); ++step) {
      Value cube = b.mul(b.mul(root, root), root);
      Value change = b.div(b.sub(x, cube), b.add(b.add(cube, cube), x));
      root = b.fma(root, change, root);
    }
    root = b.flipSign(b.mul(root, scale(b.isWide() ? 0x1p-18 : 0x1p-8)), b.signBit(input));
    // The cube roots of 0, infinity and NaN are the operands themselves.
    Value positive = b.compare(arith::CmpFPredicate::OGT, magnitude, 0.0);
    Value finite = b.compare(arith::CmpFPredicate::OLT, magnitude, std::numeric_limits<double>::infinity());
    rewriter.replaceOp(op, b.select(b.make<arith::AndIOp>(positive, finite), root, input));
    return success();
  }
};

} // namespace

void heddle::populateExpandCubeRoot(RewritePatternSet &patterns, PatternBenefit benefit) {
  patterns.add<ExpandCubeRoot>(patterns.getContext(), benefit);
}
