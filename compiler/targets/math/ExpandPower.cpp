//===- ExpandPower.cpp - powers as arithmetic -----------------------------===//

#include "Logarithm.h"
#include "PowerOfTwo.h"

using namespace mlir;
using namespace heddle;

using Predicate = arith::CmpFPredicate;

namespace {

Value either(MathBuilder &b, Value x, Value y) { return b.make<arith::OrIOp>(x, y); }

/// Returns whether a non-negative number is an integer.
Value isInteger(MathBuilder &b, Value x) {
  double from = b.isWide() ? 0x1p52 : 0x1p23; // all larger numbers are integers
  Value nearest = b.sub(b.add(x, b.number(from)), b.number(from));
  return either(b, b.make<arith::CmpFOp>(Predicate::OEQ, nearest, x), b.compare(Predicate::OGE, x, from));
}

/// Computes 2^x. The result is also accurate if it is denormal. An operation with the fast-math flag afn, which allows
/// an approximation, remains: only lowerings for targets that have an instruction for an approximate 2^x create it.
struct ExpandExp2 : OpRewritePattern<math::Exp2Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Exp2Op op, PatternRewriter &rewriter) const override {
    if (!isF32OrF64(op))
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    if (arith::bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn))
      return rewriter.notifyMatchFailure(op, "may be approximated");
    MathBuilder b(op, rewriter);
    rewriter.replaceOp(op, powerOfTwo(b, {op.getOperand(), b.number(0.0)}));
    return success();
  }
};

/// Computes x^y = 2^(y log2|x|), with the special cases of Annex F of C for zeros, infinities, NaN and negative
/// numbers.
struct ExpandPow : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::PowFOp op, PatternRewriter &rewriter) const override {
    if (!isF32OrF64(op))
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    MathBuilder b(op, rewriter);
    Value x = op.getLhs(), y = op.getRhs(), magnitude = b.magnitude(x), magnitudeOfY = b.magnitude(y);
    double infinity = std::numeric_limits<double>::infinity();

    // Clamp the exponent. At its bounds, the result is already 0 or infinity for each |x| other than 1.
    Value exponent = b.upTo(b.isWide() ? 0x1p65 : 0x1p33, y);
    Value result = powerOfTwo(b, product(b, binaryLogarithm(b, magnitude), exponent));

    Value none = b.compare(Predicate::OEQ, x, 0.0), all = b.compare(Predicate::OEQ, magnitude, infinity);
    Value below = b.compare(Predicate::OLT, y, 0.0);
    // If |x| is 0 or infinity, the result is infinity where `grows` is true, and 0 elsewhere.
    Value grows = b.make<arith::XOrIOp>(all, below);
    result = b.select(either(b, none, all), b.select(grows, b.number(infinity), b.number(0.0)), result);

    // For negative x, the result is NaN unless y is an integer, and it is negative if y is odd.
    Value whole = isInteger(b, magnitudeOfY), even = isInteger(b, b.mul(magnitudeOfY, b.number(0.5)));
    Value odd = b.make<arith::CmpIOp>(arith::CmpIPredicate::ugt, whole, even);
    Value negative = b.make<arith::AndIOp>(b.compare(Predicate::OLT, x, 0.0), b.compare(Predicate::OGT, x, -infinity));
    Value nan = b.number(std::numeric_limits<double>::quiet_NaN());
    result = b.select(negative, b.select(whole, result, nan), result);
    result = b.flipSign(result, b.select(odd, b.signBit(x), b.integer(0)));

    Value number = b.make<arith::CmpFOp>(Predicate::ORD, x, y);
    result = b.select(number, result, b.add(x, y));
    Value one = either(b, b.compare(Predicate::OEQ, x, 1.0), b.compare(Predicate::OEQ, y, 0.0));
    rewriter.replaceOp(op, b.select(one, b.number(1.0), result));
    return success();
  }
};

} // namespace

void heddle::populateExpandPower(RewritePatternSet &patterns, PatternBenefit benefit) {
  patterns.add<ExpandExp2, ExpandPow>(patterns.getContext(), benefit);
}
