//===- WorkgroupCounts.h - a call's sizes on a device -----------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_WORKGROUPCOUNTS_H
#define HEDDLE_TARGETS_GPU_WORKGROUPCOUNTS_H

#include "Heddle.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace heddle {

class Sizes;

/// The maximum number of workgroups in one dimension on many devices. Larger numbers are counted in two dimensions.
inline constexpr int64_t groupsInOneDimension = 65535;

/// The type and the value of the call header, the beginning of the arena with the sizes of the call, as 32-bit words.
/// It is the first buffer of a kernel.
mlir::MemRefType getCallHeaderType(mlir::OpBuilder &b, const Sizes &sizes);
mlir::Value emitCallHeader(mlir::OpBuilder &b, mlir::Location loc, mlir::func::FuncOp main, const Sizes &sizes);
/// Replaces the sizes that a kernel uses by loads from its first buffer, one load for each size.
void loadSizes(mlir::gpu::GPUFuncOp kernel, const Sizes &sizes);

/// Returns the value of index arithmetic with all sizes, and values derived from sizes, at their maximum; nullopt if it
/// is not made of sizes and constants. For numbers of workgroups this is the maximum, since they grow with sizes.
std::optional<int64_t> findMax(mlir::Value value, const Sizes &sizes);
/// Clones index arithmetic that is made of sizes and constants, at the insertion point of `b`.
mlir::Value emitAgain(mlir::OpBuilder &b, mlir::Value value, mlir::IRMapping &mapping);

/// A kernel with one thread that computes numbers of workgroups before the other kernels run, and the buffer for these
/// numbers: three for each launch whose number depends on sizes.
class WorkgroupCounts {
public:
  static bool isCounted(LaunchOp launch, const Sizes &sizes);
  /// `launches` are those of @main, of which at least one depends on sizes.
  WorkgroupCounts(mlir::gpu::GPUModuleOp module, const Sizes &sizes, llvm::ArrayRef<LaunchOp> launches);
  /// Returns the workgroups of a launch in a dimension: the minimum of the computed number and `maximum`, or `maximum`
  /// if the launch does not depend on sizes.
  mlir::Value emit(mlir::OpBuilder &b, LaunchOp launch, unsigned dim, int64_t maximum);

private:
  llvm::MapVector<mlir::Operation *, size_t> places;
  mlir::Value buffer;
};

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_WORKGROUPCOUNTS_H
