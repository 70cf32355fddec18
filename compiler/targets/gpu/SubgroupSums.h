//===- SubgroupSums.h - sums over the threads of a workgroup ----*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_SUBGROUPSUMS_H
#define HEDDLE_TARGETS_GPU_SUBGROUPSUMS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace heddle {

/// Finds loops that combine (add, multiply, or take the maximum or minimum of) f32 elements of workgroup memory, where
/// each thread has written one of the elements in an earlier loop over threads. Replaces each of these loops by a
/// reduction over each sub-group. One thread of each sub-group stores the result of the reduction in workgroup memory,
/// and each thread then combines the results of all sub-groups. `threads` is the number of threads of a workgroup, and
/// `thread` is the index of the executing thread in its workgroup. If `width` is not 0, all sub-groups are full and
/// have this width; if `width` is 0, sub-groups may have any width. Returns the stores of the sub-groups' results. One
/// thread of each sub-group executes these stores, so the caller must not restrict them to a single thread of the
/// workgroup.
llvm::SmallVector<mlir::memref::StoreOp> sumInSubgroups(mlir::FunctionOpInterface kernel, mlir::Value thread,
                                                        int64_t threads, int64_t width);

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_SUBGROUPSUMS_H
