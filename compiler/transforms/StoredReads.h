//===- StoredReads.h - reads of dequantized tensors -------------*- C++ -*-===//

#ifndef HEDDLE_TRANSFORMS_STOREDREADS_H
#define HEDDLE_TRANSFORMS_STOREDREADS_H

#include "Heddle.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle {

/// Emits the computation of the element at `indices` of the result of `op`, which has scales. The element is computed
/// from the stored integer and from the scale, the zero point and the minimum of its block, or is read from an outlier
/// row.
mlir::Value emitStoredElement(mlir::OpBuilder &b, mlir::Location loc, DequantizeOp op, mlir::ValueRange indices);

/// Emits the computation of the vector that `read` reads from the result of `op`, which has scales. Returns null if
/// elements may lie beyond the end of the tensor, if the padding is not the constant 0, if there are outlier rows and
/// the lanes read different rows, or if a vector of several dimensions is masked or may cross the boundary of a block.
mlir::Value emitStoredVector(mlir::OpBuilder &b, mlir::vector::TransferReadOp read, DequantizeOp op);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_STOREDREADS_H
