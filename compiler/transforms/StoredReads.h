//===- StoredReads.h - what heddle.dequantize makes of a read ---*- C++ -*-===//

#ifndef HEDDLE_TRANSFORMS_STOREDREADS_H
#define HEDDLE_TRANSFORMS_STOREDREADS_H

#include "Heddle.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace heddle {

/// An element of what an operation with scales gives, computed of what is stored.
mlir::Value emitStoredElement(mlir::OpBuilder &b, mlir::Location loc, DequantizeOp op, mlir::ValueRange indices);

/// A vector of them. Null where elements lie beyond the end, or scales differ along more than one dimension of a vector
/// that has several.
mlir::Value emitStoredVector(mlir::OpBuilder &b, mlir::vector::TransferReadOp read, DequantizeOp op);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_STOREDREADS_H
