//===- PrepareLaunches.h - puts all work into parallel loops ----*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_PREPARELAUNCHES_H
#define HEDDLE_TARGETS_GPU_PREPARELAUNCHES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle {

/// Returns whether a loop contains parallel loops. If it does, a workgroup executes each of its iterations, and the
/// threads of the workgroup execute the iterations of the inner loops. A loop that allocates tiles is also one over
/// workgroups; heddle-tiles-to-lanes distributes its operations over threads.
bool isOfWorkgroups(mlir::scf::ForallOp forall);

/// Prepares a function for OutlineLaunches.cpp, which makes a launch of each parallel loop. Replaces copies outside of
/// loops over threads by parallel loops, and copies of rows by single threads by accesses of vectors. Puts other work
/// that is outside of parallel loops into a parallel loop with one iteration. Emits an error and fails if this is not
/// possible.
mlir::LogicalResult prepareLaunches(mlir::func::FuncOp func);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_PREPARELAUNCHES_H
