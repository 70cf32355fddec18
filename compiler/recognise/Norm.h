//===- Norm.h - parts that layer norm and RMS norm share --------*- C++ -*-===//

#ifndef HEDDLE_RECOGNISE_NORM_H
#define HEDDLE_RECOGNISE_NORM_H

#include "Match.h"

namespace heddle {

/// The parts of dividend / sqrt(variance + epsilon), with one square root per row.
struct Normalised {
  mlir::Value dividend, variance; // `dividend` is [.., D]; `variance` has one element per row
  double epsilon;
  mlir::Operation *root; // the operation that computes the square root
};

/// Matches `op` as a division by a square root, or as a product with the inverse of a square root. If there is a square
/// root, sets `root` to its operation even if the match fails, so that the caller can report the failure there. Sets
/// `reason` on failure.
std::optional<Normalised> matchNormalised(mlir::Operation *op, mlir::Operation *&root, llvm::StringRef &reason);

/// The operands of a norm that is to be built, and the value that the norm replaces.
struct NormOperands {
  mlir::Value input, scale, bias; // `input` has the shape of `result`; `scale` and `bias` are rows [D] or null
  mlir::Value result;             // the value to replace
};

/// Returns the operands of a norm of `input` that replaces `normalised`. If the only use of `normalised` is a
/// multiplication by a row, the norm also replaces this multiplication, and the row is the scale. With `hasBias`, the
/// norm also replaces an addition of a row (the bias) that is the only use of the product. Sets the rewriter's
/// insertion point to the position at which the caller must create the norm.
NormOperands prepareNorm(mlir::RewriterBase &rewriter, mlir::Value input, mlir::Value normalised, bool hasBias);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_NORM_H
