//===- Accesses.h - bufferization of tensor accesses ------------*- C++ -*-===//

#ifndef HEDDLE_ACCESSES_H
#define HEDDLE_ACCESSES_H

namespace mlir {
class DialectRegistry;
}

namespace heddle {
/// Lets one-shot-bufferize replace each heddle.accesses by the operations of its region. These operations access
/// elements of tensors before the replacement, and elements of buffers after it.
void registerAccessesBufferization(mlir::DialectRegistry &registry);
/// Lets one-shot-bufferize replace each heddle.tile_copy and heddle.tile_product of tensors by the same operation on
/// buffers.
void registerTileBufferization(mlir::DialectRegistry &registry);
/// Registers a bufferization of vector.transfer_write that replaces upstream's, which mistakes some writes of one row
/// for writes of the whole tensor. Must be called before upstream's external models are registered: if an operation
/// gets two external models, MLIR keeps the first.
void registerWriteBufferization(mlir::DialectRegistry &registry);
/// Registers an implementation of SubsetOpInterface for operations that extract and insert slices of tensors. With it,
/// one-shot-bufferize finds out whether two operations access the same slice of a tensor. It replaces upstream's
/// implementation, which is slow, and must also be called before upstream's external models are registered.
void registerSliceSubsets(mlir::DialectRegistry &registry);
} // namespace heddle

#endif // HEDDLE_ACCESSES_H
