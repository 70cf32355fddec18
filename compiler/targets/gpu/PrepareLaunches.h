//===- PrepareLaunches.h - all work becomes parallel loops ------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_PREPARELAUNCHES_H
#define HEDDLE_TARGETS_GPU_PREPARELAUNCHES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle {

/// Whether a loop holds parallel loops: it has a workgroup for each iteration, and they its threads.
bool isOfWorkgroups(mlir::scf::ForallOp forall);

/// Makes parallel loops of what stands beside them in a function: of copies, and of what is a workgroup's work.
mlir::LogicalResult prepareLaunches(mlir::func::FuncOp func);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_PREPARELAUNCHES_H
