//===- PrepareLaunches.h - puts all work into loops -------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_PREPARELAUNCHES_H
#define HEDDLE_TARGETS_GPU_PREPARELAUNCHES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle {

/// Returns whether a loop contains parallel loops. Its iterations are then workgroups, and those of the inner loops
/// threads.
bool isOfWorkgroups(mlir::scf::ForallOp forall);

/// Puts the operations of a function that are outside of parallel loops into such loops: copies, and the work of a
/// single workgroup. Emits an error and fails if that is not possible.
mlir::LogicalResult prepareLaunches(mlir::func::FuncOp func);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_PREPARELAUNCHES_H
