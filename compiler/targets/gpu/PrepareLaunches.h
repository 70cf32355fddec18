//===- PrepareLaunches.h - puts all work into parallel loops ----*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_PREPARELAUNCHES_H
#define HEDDLE_TARGETS_GPU_PREPARELAUNCHES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle {

/// Returns whether a loop contains parallel loops. Then its iterations are workgroups, and the iterations of the inner
/// loops are threads.
bool isOfWorkgroups(mlir::scf::ForallOp forall);

/// Puts the operations of a function that are outside of parallel loops into parallel loops: copies, and the work of a
/// single workgroup. Emits an error and fails if this is not possible.
mlir::LogicalResult prepareLaunches(mlir::func::FuncOp func);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_PREPARELAUNCHES_H
