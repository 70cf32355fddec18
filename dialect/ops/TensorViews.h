//===- TensorViews.h - operations that only move elements -------*- C++ -*-===//

#ifndef HEDDLE_OPS_TENSORVIEWS_H
#define HEDDLE_OPS_TENSORVIEWS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

namespace heddle {

/// Returns whether `op` is a reshape of a tensor, which keeps all elements in their order. `op` may be null.
bool isReshape(mlir::Operation *op);

/// Returns whether `op` is a view of its first operand: a reshape, a slice or a cast of a tensor. Bufferization
/// replaces `op` by a view of a buffer and emits no code that copies elements. `op` may be null.
bool isView(mlir::Operation *op);

/// Returns the tensor that `value` is a view of, through any number of views; `value` itself if it is no view.
mlir::Value findViewedTensor(mlir::Value value);

/// Emits the views that lead from `findViewedTensor(value)` to `value` once more, with `source` instead of
/// `findViewedTensor(value)`. `source` has the same shape and may have another element type.
mlir::Value emitViews(mlir::OpBuilder &b, mlir::Value value, mlir::Value source);

/// Returns the tensor of whose elements `value` consists, through any number of views, transpositions and broadcasts;
/// `value` itself if its elements are computed or stored.
mlir::Value findMoved(mlir::Value value);

/// Returns the narrowest type that is known to represent every element of a tensor exactly. It is narrower than the
/// element type of the tensor if the tensor consists of elements (findMoved) of the result of a heddle.dequantize
/// without scales.
mlir::Type findExactElement(mlir::Value value);

} // namespace heddle

#endif // HEDDLE_OPS_TENSORVIEWS_H
