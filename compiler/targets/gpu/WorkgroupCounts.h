//===- WorkgroupCounts.h - workgroup counts on a device ---------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_WORKGROUPCOUNTS_H
#define HEDDLE_TARGETS_GPU_WORKGROUPCOUNTS_H

#include "Heddle.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace heddle {

class Sizes;

/// The maximum number of workgroups in one dimension on many devices. A launch with more workgroups uses two
/// dimensions.
inline constexpr int64_t groupsInOneDimension = 65535;

/// getCallHeaderType returns the type of the call header as a buffer of 32-bit words, and emitCallHeader emits this
/// buffer in `main`. The call header is the beginning of the arena, which contains the sizes of the call. If sizes lie
/// in ranges, the call header is the first buffer of each kernel.
mlir::MemRefType getCallHeaderType(mlir::OpBuilder &b, const Sizes &sizes);
mlir::Value emitCallHeader(mlir::OpBuilder &b, mlir::Location loc, mlir::func::FuncOp main, const Sizes &sizes);
/// Replaces the operations of a kernel that return sizes by loads from its first buffer, the call header. Emits one
/// load for each size.
void loadSizes(mlir::gpu::GPUFuncOp kernel, const Sizes &sizes);

/// Evaluates the index arithmetic that computes `value` from sizes and constants, with the maximum of each size and of
/// each derived size. Returns nullopt if the arithmetic has other operands or contains an operation that does not fold.
/// The result is the maximum of `value`, provided that `value` never decreases when a size grows. This is true of all
/// workgroup counts.
std::optional<int64_t> findMax(mlir::Value value, const Sizes &sizes);
/// Clones the index arithmetic that computes `value` from sizes and constants to the insertion point of `b`, and
/// returns the clone of `value`. `mapping` maps values to clones that exist already, and receives the new clones.
mlir::Value emitAgain(mlir::OpBuilder &b, mlir::Value value, mlir::IRMapping &mapping);

/// A kernel with one thread that computes numbers of workgroups before the other kernels run, and the buffer for its
/// results. The buffer contains three numbers (x, y, z) for each launch whose number of workgroups depends on sizes.
class WorkgroupCounts {
public:
  /// Returns whether the number of workgroups of `launch` depends on sizes. If so, the kernel computes it.
  static bool isCounted(LaunchOp launch, const Sizes &sizes);
  /// Creates the kernel in `module` and launches it at the start of @main. `launches` are all launches of @main; the
  /// number of workgroups of at least one of them depends on sizes.
  WorkgroupCounts(mlir::gpu::GPUModuleOp module, const Sizes &sizes, llvm::ArrayRef<LaunchOp> launches);
  /// Emits the number of workgroups of `launch` in dimension `dim`: the minimum of the computed number and `maximum`,
  /// or `maximum` if the number does not depend on sizes.
  mlir::Value emit(mlir::OpBuilder &b, LaunchOp launch, unsigned dim, int64_t maximum);

private:
  /// For each launch whose number of workgroups depends on sizes, the index of its three numbers in `buffer`, divided
  /// by 3.
  llvm::MapVector<mlir::Operation *, size_t> places;
  mlir::Value buffer; // the results of the kernel
};

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_WORKGROUPCOUNTS_H
