//===- CheckKernels.h - kernels that no device can run ----------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_CHECKKERNELS_H
#define HEDDLE_TARGETS_GPU_CHECKKERNELS_H

#include "Heddle.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

class Sizes;

/// Refuses buffers of more elements than a kernel counts: its indices have 32 bits.
mlir::LogicalResult checkBuffers(LaunchOp launch, const Sizes &sizes);

/// Refuses what is written outside of loops over threads by other ops than memref.store: no one thread does it.
mlir::LogicalResult checkWrites(mlir::func::FuncOp kernel);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_CHECKKERNELS_H
