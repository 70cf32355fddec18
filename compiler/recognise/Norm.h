//===- Norm.h - common parts of both norms ----------------------*- C++ -*-===//

#ifndef HEDDLE_RECOGNISE_NORM_H
#define HEDDLE_RECOGNISE_NORM_H

#include "Match.h"

namespace heddle {

/// dividend / sqrt(variance + epsilon), with one root per row.
struct Normalised {
  mlir::Value dividend, variance; // [.., D], and one element per row
  double epsilon;
  mlir::Operation *root;          // the sqrt or rsqrt
};

/// Matches `op` as a division by a root, a product with its inverse, or a product with rsqrt. Sets `root` as soon as
/// one is found, so that the reason of a failure can be reported there, and `reason` on failure.
std::optional<Normalised> matchNormalised(mlir::Operation *op, mlir::Operation *&root, llvm::StringRef &reason);

/// The operands of a norm to build, and the value that it replaces.
struct NormOperands {
  mlir::Value input, scale, bias; // input of the shape of `result`; scale and bias are rows [D] or null
  mlir::Value result;
};

/// Returns the operands of a norm of `input` that replaces `normalised`, together with a following multiplication by a
/// row (the scale) and, with `hasBias`, a following addition of a row. Sets the rewriter's insertion point to where the
/// norm belongs.
NormOperands prepareNorm(mlir::RewriterBase &rewriter, mlir::Value input, mlir::Value normalised, bool hasBias);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_NORM_H
