//===- ExpandHyperbolic.cpp - hyperbolic functions as arithmetic ----------===//

#include "ExpandOdd.h"
#include "PowerOfTwo.h"

using namespace mlir;
using namespace heddle;

namespace {

/// Replaces a function of f32 or f64 by the result of `expand`, which must support x of both signs.
template <typename Op, Value (*expand)(MathBuilder &, Value x)>
struct Expand : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isF32OrF64(op))
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    MathBuilder b(op, rewriter);
    rewriter.replaceOp(op, expand(b, op.getOperand()));
    return success();
  }
};

/// Returns exp(x)/2 for x >= 0. The result is finite wherever sinh(x) and cosh(x) are finite, although exp(x) may
/// overflow there. In f32, the result is a factor times the exponential of x - 0.693145751953125. This constant is a
/// multiple of 2^-16 close to log(2), so the subtraction is exact for x >= 1. The factor corrects the difference
/// between the constant and log(2).
Value halfExp(MathBuilder &b, Value magnitude) {
  if (b.isWide())
    return exponential(b, {magnitude, b.number(0.0)}, /*shift=*/-1);
  constexpr double maximum = 45426.0 / 65536;
  Value exp = b.make<math::ExpOp>(b.sub(magnitude, b.number(maximum)));
  return b.mul(exp, b.number(std::exp(maximum - llvm::numbers::ln2)));
}

/// Returns exp(-x)/2, where `half` is exp(x)/2.
Value quarterInverse(MathBuilder &b, Value half) { return b.div(b.number(0.25), half); }

/// Returns sinh(x) for x >= 0 as (e^x - e^-x) / 2, or as a Taylor series for x < 1, where the subtraction would cancel.
Value expandSinh(MathBuilder &b, Value x) {
  Value half = halfExp(b, x), square = b.mul(x, x);
  constexpr double terms[] = {1.0 / 121645100408832000, 1.0 / 355687428096000, 1.0 / 1307674368000, 1.0 / 6227020800,
                              1.0 / 39916800,           1.0 / 362880,          1.0 / 5040,          1.0 / 120,
                              1.0 / 6};
  Value series = b.polynomial(square, ArrayRef(terms).drop_front(b.isWide() ? 0 : 4));
  Value small = b.fma(b.mul(x, square), series, x);
  return b.select(b.compare(arith::CmpFPredicate::OLT, x, 1.0), small, b.sub(half, quarterInverse(b, half)));
}

Value expandCosh(MathBuilder &b, Value x) {
  Value half = halfExp(b, b.magnitude(x));
  return b.add(half, quarterInverse(b, half));
}

/// Returns log(2x) for large x, and `result` for other x. asinh(x) and acosh(x) are log(2x) for large x up to rounding,
/// and their formulas for other x contain x^2, which may overflow.
Value orLogOfDouble(MathBuilder &b, Value x, Value result) {
  Value log = b.add(b.make<math::LogOp>(x), b.number(llvm::numbers::ln2));
  return b.select(b.compare(arith::CmpFPredicate::OGT, x, b.isWide() ? 0x1p28 : 0x1p13), log, result);
}

/// Returns asinh(x) for x >= 0, which is log(x + sqrt(x^2 + 1)). The argument of the logarithm is
/// 1 + x + x^2 / (1 + sqrt(x^2 + 1)).
Value expandAsinh(MathBuilder &b, Value x) {
  Value square = b.mul(x, x), one = b.number(1.0);
  Value root = b.make<math::SqrtOp>(b.add(square, one));
  Value beyond = b.add(x, b.div(square, b.add(root, one)));
  return orLogOfDouble(b, x, b.make<math::Log1pOp>(beyond));
}

/// Returns acosh(x), which is log(x + sqrt(x^2 - 1)). With t = x - 1, the root is sqrt(t (t + 2)).
Value expandAcosh(MathBuilder &b, Value x) {
  Value t = b.sub(x, b.number(1.0)), two = b.number(2.0), result;
  if (b.isWide()) {
    // Near 1, the result is close to the root, so the root is computed as a double word.
    DoubleWord root = squareRoot(b, product(b, exactSum(b, t, two), t)), sum = exactSum(b, root.high, t);
    Value low = b.div(b.add(root.low, sum.low), b.add(sum.high, b.number(1.0)));
    result = b.add(b.make<math::Log1pOp>(sum.high), low);
  } else {
    result = b.make<math::Log1pOp>(b.add(t, b.make<math::SqrtOp>(b.mul(t, b.add(t, two)))));
  }
  result = orLogOfDouble(b, x, result);
  Value nan = b.number(std::numeric_limits<double>::quiet_NaN());
  return b.select(b.compare(arith::CmpFPredicate::OGE, x, 1.0), result, nan);
}

/// Returns atanh(x) for x >= 0, which is log((1 + x) / (1 - x)) / 2.
Value expandAtanh(MathBuilder &b, Value x) {
  Value beyond = b.div(b.add(x, x), b.sub(b.number(1.0), x));
  return b.mul(b.make<math::Log1pOp>(beyond), b.number(0.5));
}

} // namespace

void heddle::populateExpandHyperbolic(RewritePatternSet &patterns, PatternBenefit benefit) {
  patterns.add<ExpandOdd<math::SinhOp, expandSinh>, Expand<math::CoshOp, expandCosh>, ExpandOdd<math::AsinhOp, expandAsinh>,
               Expand<math::AcoshOp, expandAcosh>, ExpandOdd<math::AtanhOp, expandAtanh>>(patterns.getContext(), benefit);
}
