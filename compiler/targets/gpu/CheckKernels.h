//===- CheckKernels.h - refuses kernels that devices cannot run -*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_CHECKKERNELS_H
#define HEDDLE_TARGETS_GPU_CHECKKERNELS_H

#include "Heddle.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

class Sizes;

/// Emits an error and fails if a buffer that the launch passes to its kernel has, at the largest sizes, more elements
/// than the 32-bit indices of a kernel can count.
mlir::LogicalResult checkBuffers(LaunchOp launch, const Sizes &sizes);

/// Emits an error and fails if the kernel writes memory outside of loops over threads (scf.forall) by an operation
/// other than a store. All threads execute the code outside of these loops. The pass in KernelsToGpu.cpp can make a
/// single thread execute a store, but no other operation.
mlir::LogicalResult checkWrites(mlir::func::FuncOp kernel);

/// Checks a kernel that allocates tiles (compiler/tiles/TilePlaces.h). All threads execute each operation that is not
/// on tiles. Emits an error and fails if such an operation is a loop over threads, allocates a buffer that is not a
/// tile, or writes to memory.
mlir::LogicalResult checkBesideTiles(mlir::func::FuncOp kernel);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_CHECKKERNELS_H
