//===- Recognisers.h - one recogniser per layer -----------------*- C++ -*-===//

#ifndef HEDDLE_RECOGNISE_RECOGNISERS_H
#define HEDDLE_RECOGNISE_RECOGNISERS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// The context of a recogniser: a rewriter, and a map for reasons. A recogniser gets a root operation and checks
/// everything before it changes IR. If the root is part of the layer, it builds the layer, redirects uses to it without
/// erasing anything, and returns success. Otherwise it returns failure and leaves IR unchanged.
struct Recognition {
  mlir::IRRewriter rewriter;
  /// Why a root was not recognised: the last reason given, by the recogniser that matched most of it.
  llvm::DenseMap<mlir::Operation *, std::string> reasons;

  explicit Recognition(mlir::MLIRContext *context) : rewriter(context) {}

  mlir::LogicalResult reject(mlir::Operation *root, const llvm::Twine &reason) {
    reasons[root] = reason.str();
    return mlir::failure();
  }
};

/// Recognises (elu(q) + 1) ((elu(k) + 1)^T v), from its last product. It is tried first, being the rarest.
mlir::LogicalResult recogniseLinearAttention(mlir::Operation *op, Recognition &recognition);

/// Recognises softmax(scale q k^T + bias, masked) v, from its softmax.
mlir::LogicalResult recogniseAttention(mlir::Operation *op, Recognition &recognition);

/// Recognises (x - mean) / sqrt(variance + epsilon), from the division (or the product with rsqrt).
mlir::LogicalResult recogniseLayerNorm(mlir::Operation *op, Recognition &recognition);

/// Recognises x / sqrt(mean(x^2) + epsilon), from the division (or the product with rsqrt).
mlir::LogicalResult recogniseRmsNorm(mlir::Operation *op, Recognition &recognition);

/// Recognises a product with a weight, from the product.
mlir::LogicalResult recogniseLinear(mlir::Operation *op, Recognition &recognition);

/// Adds a bias to a linear layer, from the addition.
mlir::LogicalResult recogniseLinearBias(mlir::Operation *op, Recognition &recognition);

/// Adds an activation to a linear layer, from the last operation of the activation.
mlir::LogicalResult recogniseActivation(mlir::Operation *op, Recognition &recognition);

/// Recognises two linear layers around an activation, plain or gated, from the last layer.
mlir::LogicalResult recogniseFfn(mlir::Operation *op, Recognition &recognition);

/// Adds patterns that apply elementwise operations before broadcasts instead of behind them.
void populateSinkBroadcasts(mlir::RewritePatternSet &patterns);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_RECOGNISERS_H
