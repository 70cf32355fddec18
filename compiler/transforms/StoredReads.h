//===- StoredReads.h - reads of dequantized tensors -------------*- C++ -*-===//

#ifndef HEDDLE_TRANSFORMS_STOREDREADS_H
#define HEDDLE_TRANSFORMS_STOREDREADS_H

#include "Heddle.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle {

/// Emits the computation of the element at `indices` of the result of `op`, which has scales. The element is computed
/// from the stored integer and from the scale of its block, and from the zero point and the minimum of the block if
/// `op` has them. An element of an outlier row is read from the tensor of outlier rows instead.
mlir::Value emitStoredElement(mlir::OpBuilder &b, mlir::Location loc, DequantizeOp op, mlir::ValueRange indices);

/// Emits the computation of the vector that `read` reads from the result of `op`, which has scales. Returns null if the
/// permutation map is not a projected permutation (with zeros), if elements may lie beyond the end of the tensor, if
/// the padding is not the constant 0, if there are outlier rows and the lanes read different rows, or if a vector of
/// several dimensions is masked or may cross the boundary of a block.
mlir::Value emitStoredVector(mlir::OpBuilder &b, mlir::vector::TransferReadOp read, DequantizeOp op);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_STOREDREADS_H
