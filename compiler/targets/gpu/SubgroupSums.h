//===- SubgroupSums.h - sums over the threads of a workgroup ----*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_SUBGROUPSUMS_H
#define HEDDLE_TARGETS_GPU_SUBGROUPSUMS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace heddle {

/// Combines by reductions over sub-groups the elements that the `threads` threads of a workgroup write in a loop and
/// that all of them read after it. All sub-groups are full and `width` wide, or of any width if it is 0. The result of
/// each sub-group goes through workgroup memory; each thread then reads as many results as there are sub-groups.
/// `thread` is the number of the thread. Returns the stores that one thread of each sub-group executes; barriers
/// surround them.
llvm::SmallVector<mlir::memref::StoreOp> sumInSubgroups(mlir::FunctionOpInterface kernel, mlir::Value thread,
                                                        int64_t threads, int64_t width);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_SUBGROUPSUMS_H
