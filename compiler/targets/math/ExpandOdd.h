//===- ExpandOdd.h - expansion of odd functions -----------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_MATH_EXPANDODD_H
#define HEDDLE_TARGETS_MATH_EXPANDODD_H

#include "MathBuilder.h"

namespace heddle {

/// Replaces an odd function of f32 or f64 by the result of `expand` for |x|, with the sign of x.
template <typename Op, mlir::Value (*expand)(MathBuilder &, mlir::Value magnitude)>
struct ExpandOdd : mlir::OpRewritePattern<Op> {
  using mlir::OpRewritePattern<Op>::OpRewritePattern;

  mlir::LogicalResult matchAndRewrite(Op op, mlir::PatternRewriter &rewriter) const override {
    if (!isF32OrF64(op))
      return rewriter.notifyMatchFailure(op, "neither f32 nor f64");
    MathBuilder b(op, rewriter);
    mlir::Value x = op.getOperand(), result = expand(b, b.magnitude(x));
    rewriter.replaceOp(op, b.flipSign(result, b.signBit(x)));
    return mlir::success();
  }
};

/// Returns of32(x) if the type is f32, and of64(x) if the type is f64.
template <mlir::Value (*of32)(MathBuilder &, mlir::Value), mlir::Value (*of64)(MathBuilder &, mlir::Value)>
mlir::Value byWidth(MathBuilder &b, mlir::Value x) {
  return b.isWide() ? of64(b, x) : of32(b, x);
}

} // namespace heddle

#endif // HEDDLE_TARGETS_MATH_EXPANDODD_H
