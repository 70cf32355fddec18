//===- RemoveBarriers.h - removes redundant barriers ------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_REMOVEBARRIERS_H
#define HEDDLE_TARGETS_GPU_REMOVEBARRIERS_H

#include "mlir/IR/Block.h"

namespace heddle {

/// Removes barriers of a kernel that follow another barrier or the start of the kernel without an access to shared
/// memory between the two.
void removeBarriers(mlir::Block &body);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_REMOVEBARRIERS_H
