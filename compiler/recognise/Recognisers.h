//===- Recognisers.h - one recogniser per layer -----------------*- C++ -*-===//

#ifndef HEDDLE_RECOGNISE_RECOGNISERS_H
#define HEDDLE_RECOGNISE_RECOGNISERS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// The context that the recognisers share. Exporters decompose a layer into several operations, and a recogniser
/// replaces them by one operation. It is called for each operation, which may be the root of a layer. If the operations
/// match, the recogniser builds the layer, replaces uses of the old result by the layer's result without erasing
/// operations, and returns success. Otherwise it returns failure and leaves the IR unchanged.
struct Recognition {
  mlir::IRRewriter rewriter;
  /// The reason why a root was not recognised. If several recognisers reject a root, the reason of the last one is
  /// kept.
  llvm::DenseMap<mlir::Operation *, std::string> reasons;

  explicit Recognition(mlir::MLIRContext *context) : rewriter(context) {}

  /// Records the reason why `root` is not recognised, and returns failure.
  mlir::LogicalResult reject(mlir::Operation *root, const llvm::Twine &reason) {
    reasons[root] = reason.str();
    return mlir::failure();
  }
};

/// Recognises scale (elu(q) + 1) ((elu(k) + 1)^T v), starting at its last product.
mlir::LogicalResult recogniseLinearAttention(mlir::Operation *op, Recognition &recognition);

/// Recognises softmax(scale q k^T + bias, masked) v, starting at its softmax.
mlir::LogicalResult recogniseAttention(mlir::Operation *op, Recognition &recognition);

/// Recognises (x - mean) / sqrt(variance + epsilon), starting at the division (or at the product with the inverse of
/// the square root).
mlir::LogicalResult recogniseLayerNorm(mlir::Operation *op, Recognition &recognition);

/// Recognises x / sqrt(mean(x^2) + epsilon), starting at the division (or at the product with the inverse of the square
/// root).
mlir::LogicalResult recogniseRmsNorm(mlir::Operation *op, Recognition &recognition);

/// Recognises a product with a weight, starting at the product.
mlir::LogicalResult recogniseLinear(mlir::Operation *op, Recognition &recognition);

/// Adds a bias to a linear layer, starting at the addition.
mlir::LogicalResult recogniseLinearBias(mlir::Operation *op, Recognition &recognition);

/// Adds an activation to a linear layer, starting at the last operation of the activation.
mlir::LogicalResult recogniseActivation(mlir::Operation *op, Recognition &recognition);

/// Recognises an FFN (two linear layers with a plain or gated activation between them), starting at the last layer.
mlir::LogicalResult recogniseFfn(mlir::Operation *op, Recognition &recognition);

/// Adds a pattern that moves an elementwise operation before the broadcasts that it reads, if its other operands are
/// splat constants: the operation is applied to the operands of the broadcasts, and its result is broadcast.
void populateSinkBroadcasts(mlir::RewritePatternSet &patterns);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_RECOGNISERS_H
