//===- ShareBuffers.h - sharing of workgroup memory -------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_SHAREBUFFERS_H
#define HEDDLE_TARGETS_GPU_SHAREBUFFERS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace heddle {

/// Merges buffers (memref.alloc) of the same type that are not used at the same time, so that a kernel needs less
/// workgroup memory. Returns the remaining buffers. The caller guarantees that a barrier separates the uses of two
/// merged buffers.
llvm::SmallVector<mlir::memref::AllocOp> shareBuffers(llvm::ArrayRef<mlir::memref::AllocOp> allocs);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_SHAREBUFFERS_H
