//===- ExpandPower.cpp - powers as arithmetic -----------------------------===//

#include "Logarithm.h"

using namespace mlir;
using namespace heddle;

using Predicate = arith::CmpFPredicate;

namespace {

// (exp(t) - 1 - t) / t^2 for |t| <= log(2)/2, Taylor's, highest power first.
constexpr double exp32[] = {1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5};
constexpr double exp64[] = {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800,
                            1.0 / 362880,     1.0 / 40320,     1.0 / 5040,     1.0 / 720,
                            1.0 / 120,        1.0 / 24,        1.0 / 6,        0.5};

bool isExpanded(Operation *op) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  return element.isF32() || element.isF64();
}

Value either(MathBuilder &b, Value x, Value y) { return b.make<arith::OrIOp>(x, y); }

/// What is beyond the ends becomes the ends; NaN stays.
Value clamp(MathBuilder &b, Value x, double end) {
  x = b.select(b.compare(Predicate::OGT, x, end), b.number(end), x);
  return b.noLessThan(-end, x);
}

/// 2^(high + low), down to the least denormal number, 0 below and infinity above.
Value powerOfTwo(MathBuilder &b, Value high, Value low) {
  high = clamp(b, high, b.isWide() ? 1200.0 : 200.0), low = clamp(b, low, 1.0);
  double round = b.isWide() ? 0x1.8p52 : 0x1.8p23;
  Value shifted = b.add(high, b.number(round)), n = b.sub(shifted, b.number(round));
  // In two words until the last sum, so that what has an exact result gets it.
  DoubleWord ln2 = b.isWide() ? doubleWord(b, 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56)
                              : doubleWord(b, 0x1.62e43p-1, -0x1.05c61p-29);
  DoubleWord t = product(b, orderedSum(b, b.sub(high, n), low), ln2);
  Value rest = b.polynomial(t.high, b.isWide() ? ArrayRef(exp64) : ArrayRef(exp32));
  DoubleWord sum = orderedSum(b, b.number(1.0), t.high);
  Value p = b.add(sum.high, b.add(sum.low, b.fma(b.mul(t.high, t.high), rest, t.low)));
  // Half of the exponent at a time: each is a normal number's, and only the second product rounds.
  Value whole = b.addBits(b.bitsOf(shifted), b.integer(-b.wordOf(round)));
  Value half = b.make<arith::ShRSIOp>(whole, b.integer(1));
  for (Value exponent : {half, b.make<arith::SubIOp>(whole, half)})
    p = b.mul(p, b.ofBits(b.shiftLeft(b.addBits(exponent, b.integer(b.bias())), b.fractionBits())));
  return p;
}

/// Of a number that is not below 0.
Value isInteger(MathBuilder &b, Value x) {
  double from = b.isWide() ? 0x1p52 : 0x1p23; // all are
  Value nearest = b.sub(b.add(x, b.number(from)), b.number(from));
  return either(b, b.make<arith::CmpFOp>(Predicate::OEQ, nearest, x), b.compare(Predicate::OGE, x, from));
}

/// 2^x, where denormal numbers are results.
struct ExpandExp2 : OpRewritePattern<math::Exp2Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Exp2Op op, PatternRewriter &rewriter) const override {
    if (!isExpanded(op))
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    MathBuilder b(op, rewriter);
    rewriter.replaceOp(op, powerOfTwo(b, op.getOperand(), b.number(0.0)));
    return success();
  }
};

/// x^y = 2^(y log2|x|), and what C's Annex F says of zeros, infinities, NaN and numbers below 0.
struct ExpandPow : OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::PowFOp op, PatternRewriter &rewriter) const override {
    if (!isExpanded(op))
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    MathBuilder b(op, rewriter);
    Value x = op.getLhs(), y = op.getRhs(), magnitude = b.magnitude(x), ofY = b.magnitude(y);
    double infinity = std::numeric_limits<double>::infinity();

    // Larger exponents make 0 or infinity of everything but 1, as these do.
    Value exponent = clamp(b, y, b.isWide() ? 0x1p65 : 0x1p33);
    DoubleWord log = product(b, binaryLogarithm(b, magnitude), exponent);
    Value result = powerOfTwo(b, log.high, log.low);

    Value none = b.compare(Predicate::OEQ, x, 0.0), all = b.compare(Predicate::OEQ, magnitude, infinity);
    Value below = b.compare(Predicate::OLT, y, 0.0);
    Value grows = b.make<arith::XOrIOp>(all, below); // if |x| is 0 or infinity
    result = b.select(either(b, none, all), b.select(grows, b.number(infinity), b.number(0.0)), result);

    // Of x with a sign.
    Value whole = isInteger(b, ofY), even = isInteger(b, b.mul(ofY, b.number(0.5)));
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
