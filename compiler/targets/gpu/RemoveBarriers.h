//===- RemoveBarriers.h - removes redundant barriers ------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_REMOVEBARRIERS_H
#define HEDDLE_TARGETS_GPU_REMOVEBARRIERS_H

#include "mlir/IR/Block.h"

namespace heddle {

/// Removes redundant barriers of a kernel. A barrier is redundant if no access to memory that threads share (workgroup
/// memory or buffers of the device) lies between the previous barrier, or the start of the kernel, and this barrier.
void removeBarriers(mlir::Block &body);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_REMOVEBARRIERS_H
