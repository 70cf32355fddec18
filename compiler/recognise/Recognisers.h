//===- Recognisers.h - one function per layer -------------------*- C++ -*-===//

#ifndef HEDDLE_RECOGNISE_RECOGNISERS_H
#define HEDDLE_RECOGNISE_RECOGNISERS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// What a recogniser needs beside its root: a rewriter, and a place for reasons.
/// A recogniser checks everything first, then redirects uses to what it builds,
/// erasing nothing, and returns success; otherwise it returns failure with IR as
/// it was.
struct Recognition {
  mlir::IRRewriter rewriter;
  /// Why a root stayed general: the reason given last, by the deepest match.
  llvm::DenseMap<mlir::Operation *, std::string> reasons;

  explicit Recognition(mlir::MLIRContext *context) : rewriter(context) {}

  mlir::LogicalResult reject(mlir::Operation *root, const llvm::Twine &reason) {
    reasons[root] = reason.str();
    return mlir::failure();
  }
};

/// Rarest first: (elu(q) + 1) ((elu(k) + 1)^T v), from its last product.
mlir::LogicalResult recogniseLinearAttention(mlir::Operation *op, Recognition &recognition);

/// softmax(scale q k^T + bias, masked) v, from its softmax.
mlir::LogicalResult recogniseAttention(mlir::Operation *op, Recognition &recognition);

/// (x - mean) / sqrt(variance + epsilon), from the division (or the product with rsqrt).
mlir::LogicalResult recogniseLayerNorm(mlir::Operation *op, Recognition &recognition);

/// x / sqrt(mean(x^2) + epsilon), from the division (or the product with rsqrt).
mlir::LogicalResult recogniseRmsNorm(mlir::Operation *op, Recognition &recognition);

/// A product with a weight, from the product.
mlir::LogicalResult recogniseLinear(mlir::Operation *op, Recognition &recognition);

/// Bias of a linear layer, from the addition.
mlir::LogicalResult recogniseLinearBias(mlir::Operation *op, Recognition &recognition);

/// Activation of a linear layer, from the last operation of the activation.
mlir::LogicalResult recogniseActivation(mlir::Operation *op, Recognition &recognition);

/// Two linear layers around an activation, plain or gated, from the last layer.
mlir::LogicalResult recogniseFfn(mlir::Operation *op, Recognition &recognition);

/// Elementwise operations on broadcasts alone become broadcasts of small ones.
void populateSinkBroadcasts(mlir::RewritePatternSet &patterns);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_RECOGNISERS_H
