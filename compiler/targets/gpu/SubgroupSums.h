//===- SubgroupSums.h - sums over the threads of a workgroup ----*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_SUBGROUPSUMS_H
#define HEDDLE_TARGETS_GPU_SUBGROUPSUMS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace heddle {

/// Finds loops in which all threads of a workgroup combine elements, one of which each of the `threads` threads wrote
/// in an earlier loop. Replaces these combinations by reductions over sub-groups. The result of each sub-group goes
/// through workgroup memory, and each thread then combines the results of all sub-groups. If `width` is not 0, all
/// sub-groups are full and have this width; if it is 0, they may have any width. `thread` is the number of the thread.
/// Returns the stores that one thread of each sub-group executes; barriers surround them.
llvm::SmallVector<mlir::memref::StoreOp> sumInSubgroups(mlir::FunctionOpInterface kernel, mlir::Value thread,
                                                        int64_t threads, int64_t width);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_SUBGROUPSUMS_H
