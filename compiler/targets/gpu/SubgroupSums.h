//===- SubgroupSums.h - sums over the threads of a workgroup ----*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_SUBGROUPSUMS_H
#define HEDDLE_TARGETS_GPU_SUBGROUPSUMS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace heddle {

/// Joins what each of a workgroup's `threads` wrote in a loop over them, and all of them read after it, by reductions
/// over sub-groups of `width` threads, all of them full, or of any width (0): a sub-group's result goes through workgroup
/// memory, and there are as many of these to read as there are sub-groups, or as the device says that it has. `thread` is
/// the number of the thread. Returns the stores that one thread of a sub-group does; barriers are around them.
llvm::SmallVector<mlir::memref::StoreOp> sumInSubgroups(mlir::FunctionOpInterface kernel, mlir::Value thread,
                                                        int64_t threads, int64_t width);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_SUBGROUPSUMS_H
