//===- WorkgroupCounts.h - the sizes of a call on a device ------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_WORKGROUPCOUNTS_H
#define HEDDLE_TARGETS_GPU_WORKGROUPCOUNTS_H

#include "Heddle.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace heddle {

class Sizes;

/// The maximum number of workgroups in one dimension on many devices. Larger numbers of workgroups use two dimensions.
inline constexpr int64_t groupsInOneDimension = 65535;

/// Return the type and the value of the call header as 32-bit words. The call header is the beginning of the arena with
/// the sizes of the call, and the first buffer of each kernel.
mlir::MemRefType getCallHeaderType(mlir::OpBuilder &b, const Sizes &sizes);
mlir::Value emitCallHeader(mlir::OpBuilder &b, mlir::Location loc, mlir::func::FuncOp main, const Sizes &sizes);
/// Replaces the sizes that a kernel uses by loads from its first buffer, one load for each size.
void loadSizes(mlir::gpu::GPUFuncOp kernel, const Sizes &sizes);

/// Returns the value of index arithmetic in which each size, and each derived size, has its maximum. Returns nullopt if
/// the arithmetic does not consist of sizes and constants. For a number of workgroups this is the maximum, since it
/// grows with each size.
std::optional<int64_t> findMax(mlir::Value value, const Sizes &sizes);
/// Clones index arithmetic that consists of sizes and constants to the insertion point of `b`. `mapping` contains
/// clones.
mlir::Value emitAgain(mlir::OpBuilder &b, mlir::Value value, mlir::IRMapping &mapping);

/// A kernel with one thread that computes numbers of workgroups before the other kernels run, and the buffer for its
/// results. The buffer contains three numbers (x, y, z) for each launch whose number of workgroups depends on sizes.
class WorkgroupCounts {
public:
  /// Returns whether the number of workgroups of `launch` depends on sizes, so that the kernel computes it.
  static bool isCounted(LaunchOp launch, const Sizes &sizes);
  /// Makes the kernel. `launches` are those of @main; the number of workgroups of at least one launch depends on sizes.
  WorkgroupCounts(mlir::gpu::GPUModuleOp module, const Sizes &sizes, llvm::ArrayRef<LaunchOp> launches);
  /// Emits the number of workgroups of `launch` in dimension `dim`: the minimum of the computed number and `maximum`,
  /// or `maximum` if the number does not depend on sizes.
  mlir::Value emit(mlir::OpBuilder &b, LaunchOp launch, unsigned dim, int64_t maximum);

private:
  llvm::MapVector<mlir::Operation *, size_t> places;
  mlir::Value buffer;
};

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_WORKGROUPCOUNTS_H
