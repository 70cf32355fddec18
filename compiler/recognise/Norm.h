//===- Norm.h - what layer_norm and rms_norm share --------------*- C++ -*-===//

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

/// `op` as a division by a root, a product with its inverse, or with rsqrt.
/// `root` is set as soon as one is seen, for the reason's sake.
std::optional<Normalised> matchNormalised(mlir::Operation *op, mlir::Operation *&root, llvm::StringRef &reason);

/// The operands of the norm to build, and what it stands for.
struct NormOperands {
  mlir::Value input, scale, bias; // input as `result`, rows [D] or null
  mlir::Value result;
};

/// The operands of a norm of `input` that gives `normalised` and takes in the product with a
/// row behind it and, with `hasBias`, the sum with a row behind that. Leaves the
/// rewriter where the norm belongs.
NormOperands prepareNorm(mlir::RewriterBase &rewriter, mlir::Value input, mlir::Value normalised, bool hasBias);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_NORM_H
