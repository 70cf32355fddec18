//===- CheckKernels.h - refuses kernels that devices cannot run -*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_CHECKKERNELS_H
#define HEDDLE_TARGETS_GPU_CHECKKERNELS_H

#include "Heddle.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

class Sizes;

/// Emits an error and fails if a buffer may have more elements than a kernel's 32-bit indices can count.
mlir::LogicalResult checkBuffers(LaunchOp launch, const Sizes &sizes);

/// Emits an error and fails if the kernel writes memory outside of loops over threads by an operation other than a
/// store. KernelsToGpu can make a single thread execute a store, but no other operation.
mlir::LogicalResult checkWrites(mlir::func::FuncOp kernel);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_CHECKKERNELS_H
