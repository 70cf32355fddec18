//===- ShareBuffers.h - sharing of workgroup memory -------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_SHAREBUFFERS_H
#define HEDDLE_TARGETS_GPU_SHAREBUFFERS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace heddle {

/// Merges buffers (memref.alloc) of the same type whose uses do not interleave, so that a kernel needs less workgroup
/// memory. Returns the remaining buffers. The result does not show which buffers were merged. So the kernel needs a
/// barrier between the last use of a buffer and the first use of a later buffer of the same type; the caller may add
/// these barriers afterwards.
llvm::SmallVector<mlir::memref::AllocOp> shareBuffers(llvm::ArrayRef<mlir::memref::AllocOp> allocs);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_SHAREBUFFERS_H
