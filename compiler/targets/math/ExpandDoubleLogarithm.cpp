//===- ExpandDoubleLogarithm.cpp - logarithms of f64 as arithmetic --------===//

#include "Logarithm.h"

using namespace mlir;
using namespace heddle;

namespace {

/// The factor, as a double word, that converts a binary logarithm to another base.
struct Unit {
  double high, low;
};
constexpr Unit naturalUnit = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}, binaryUnit = {1, 0},
               decimalUnit = {0x1.34413509f79ffp-2, -0x1.9dc1da994fd21p-59};

/// Converts a binary logarithm to another base and rounds it to f64.
Value inUnits(MathBuilder &b, DoubleWord log, const Unit &unit) {
  return unit.high == 1 ? log.high : product(b, log, doubleWord(b, unit.high, unit.low)).high;
}

/// Returns `result` for positive finite x, and the standard values of a logarithm at 0, negative numbers, infinity and
/// NaN.
Value whereDefined(MathBuilder &b, Value x, Value result) {
  double infinity = std::numeric_limits<double>::infinity();
  result = b.select(b.compare(arith::CmpFPredicate::OLT, x, infinity), result, x);
  Value zero = b.compare(arith::CmpFPredicate::OEQ, x, 0.0);
  Value rest = b.select(zero, b.number(-infinity), b.number(std::numeric_limits<double>::quiet_NaN()));
  return b.select(b.compare(arith::CmpFPredicate::UGT, x, 0.0), result, rest);
}

/// Replaces a logarithm of f64 to the base of `unit`.
template <typename Op, const Unit &unit> struct ExpandDoubleLog : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF64())
      return rewriter.notifyMatchFailure(op, "not f64");
    MathBuilder b(op, rewriter);
    Value x = op.getOperand();
    rewriter.replaceOp(op, whereDefined(b, x, inUnits(b, binaryLogarithm(b, x), unit)));
    return success();
  }
};

/// Computes log(1 + x) as log(s) + l / s, where s is the rounded sum 1 + x and l is the rounding error of this sum. If
/// |x| < 2^-28, the result is x - x^2/2.
struct ExpandDoubleLog1p : OpRewritePattern<math::Log1pOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::Log1pOp op, PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF64())
      return rewriter.notifyMatchFailure(op, "not f64");
    MathBuilder b(op, rewriter);
    Value x = op.getOperand();
    DoubleWord sum = exactSum(b, b.number(1.0), x), log = binaryLogarithm(b, sum.high);
    log.low = b.add(log.low, b.mul(b.div(sum.low, sum.high), b.number(llvm::numbers::log2e)));
    Value result = whereDefined(b, sum.high, inUnits(b, log, naturalUnit));
    Value near = b.fma(b.mul(x, x), b.number(-0.5), x);
    Value small = b.compare(arith::CmpFPredicate::OLT, b.magnitude(x), 0x1p-28);
    rewriter.replaceOp(op, b.select(small, near, result));
    return success();
  }
};

} // namespace

void heddle::populateExpandDoubleLogarithm(RewritePatternSet &patterns, PatternBenefit benefit) {
  patterns.add<ExpandDoubleLog<math::LogOp, naturalUnit>, ExpandDoubleLog<math::Log2Op, binaryUnit>,
               ExpandDoubleLog<math::Log10Op, decimalUnit>, ExpandDoubleLog1p>(patterns.getContext(), benefit);
}
