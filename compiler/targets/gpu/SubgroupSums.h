//===- SubgroupSums.h - sums over the threads of a workgroup ----*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_SUBGROUPSUMS_H
#define HEDDLE_TARGETS_GPU_SUBGROUPSUMS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace heddle {

/// Finds loops that combine `threads` elements of workgroup memory, of which each thread wrote one in an earlier loop.
/// Replaces each of these loops by a reduction over each sub-group. One thread of each sub-group stores the result in
/// workgroup memory, and each thread then combines the results of all sub-groups. If `width` is not 0, all sub-groups
/// are full and have this width; if it is 0, they may have any width. `thread` is the index of the thread in its
/// workgroup. Returns the stores of the results, around which the caller must put barriers.
llvm::SmallVector<mlir::memref::StoreOp> sumInSubgroups(mlir::FunctionOpInterface kernel, mlir::Value thread,
                                                        int64_t threads, int64_t width);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_SUBGROUPSUMS_H
