//===- Norm.h - parts that layer norm and RMS norm share --------*- C++ -*-===//

#ifndef HEDDLE_RECOGNISE_NORM_H
#define HEDDLE_RECOGNISE_NORM_H

#include "Match.h"

namespace heddle {

/// The parts of dividend / sqrt(variance + epsilon), with one square root per row.
struct Normalised {
  mlir::Value dividend, variance; // [.., D], and one element per row
  double epsilon;
  mlir::Operation *root; // the operation that computes the square root
};

/// Matches `op` as a division by a square root, or as a product with the inverse of a square root. Sets `root` as soon
/// as the square root is found, so that the caller can report a failure there. Sets `reason` on failure.
std::optional<Normalised> matchNormalised(mlir::Operation *op, mlir::Operation *&root, llvm::StringRef &reason);

/// The operands of a norm to build, and the value that it replaces.
struct NormOperands {
  mlir::Value input, scale, bias; // input of the shape of `result`; scale and bias are rows [D] or null
  mlir::Value result;
};

/// Returns the operands of a norm of `input` that replaces `normalised`, together with a following multiplication by a
/// row (the scale) and, with `hasBias`, a following addition of a row. Sets the rewriter's insertion point to the
/// position at which the caller must create the norm.
NormOperands prepareNorm(mlir::RewriterBase &rewriter, mlir::Value input, mlir::Value normalised, bool hasBias);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_NORM_H
