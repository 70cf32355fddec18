//===- RemoveBarriers.h - barriers that nobody needs ------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_REMOVEBARRIERS_H
#define HEDDLE_TARGETS_GPU_REMOVEBARRIERS_H

#include "mlir/IR/Block.h"

namespace heddle {

/// Removes barriers of a kernel that only another one, or nothing at all, is before.
void removeBarriers(mlir::Block &body);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_REMOVEBARRIERS_H
