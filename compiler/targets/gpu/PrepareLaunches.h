//===- PrepareLaunches.h - puts all work into parallel loops ----*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_PREPARELAUNCHES_H
#define HEDDLE_TARGETS_GPU_PREPARELAUNCHES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle {

/// Returns whether a loop is a loop over workgroups: whether it contains parallel loops or allocates tiles. A workgroup
/// executes each iteration of such a loop. The threads of the workgroup execute the iterations of the inner parallel
/// loops; heddle-tiles-to-lanes distributes operations on tiles over the threads.
bool isOfWorkgroups(mlir::scf::ForallOp forall);

/// Prepares a function for OutlineLaunches.cpp, which makes a launch of each parallel loop. Replaces copies of tiles by
/// elementwise operations, other copies outside of loops over threads by parallel loops, and copies of rows that a
/// single thread executes by accesses of vectors. Puts other work that is outside of parallel loops into a parallel
/// loop with one iteration. Emits an error and fails if this is not possible.
mlir::LogicalResult prepareLaunches(mlir::func::FuncOp func);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_PREPARELAUNCHES_H
