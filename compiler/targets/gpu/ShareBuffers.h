//===- ShareBuffers.h - buffers that are one in workgroup memory -*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_SHAREBUFFERS_H
#define HEDDLE_TARGETS_GPU_SHAREBUFFERS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace heddle {

/// Makes one buffer of those memref.alloc of the same type that are not used at the same time; returns what is left.
/// Each use of one is behind a barrier that all uses of the other are before.
llvm::SmallVector<mlir::memref::AllocOp> shareBuffers(llvm::ArrayRef<mlir::memref::AllocOp> allocs);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_SHAREBUFFERS_H
