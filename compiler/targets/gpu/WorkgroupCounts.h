//===- WorkgroupCounts.h - sizes of a call on a device ----------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_GPU_WORKGROUPCOUNTS_H
#define HEDDLE_TARGETS_GPU_WORKGROUPCOUNTS_H

#include "Heddle.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace heddle {

class Sizes;

/// More are counted in two dimensions: many devices have no more in one.
inline constexpr int64_t groupsInOneDimension = 65535;

/// The beginning of an arena in words, where sizes lie: what a kernel gets as its first buffer.
mlir::MemRefType getFrameType(mlir::OpBuilder &b, const Sizes &sizes);
mlir::Value emitFrame(mlir::OpBuilder &b, mlir::Location loc, mlir::func::FuncOp main, const Sizes &sizes);
/// Reads each size that a kernel names once, from its first buffer.
void loadSizes(mlir::gpu::GPUFuncOp kernel, const Sizes &sizes);

/// What index arithmetic yields where each size, and what is derived from sizes, is at its largest: no call has more, since
/// more work makes no fewer workgroups.
std::optional<int64_t> findMost(mlir::Value value, const Sizes &sizes);
/// The value of index arithmetic, made of sizes and constants, made again at `b`.
mlir::Value emitAgain(mlir::OpBuilder &b, mlir::Value value, mlir::IRMapping &mapping);

/// A kernel of one thread that counts workgroups before the others run, and where it leaves the numbers: three for each
/// launch of a number that is made of sizes.
class WorkgroupCounts {
public:
  static bool isCounted(LaunchOp launch, const Sizes &sizes);
  /// Of launches of @main, one of which is counted.
  WorkgroupCounts(mlir::gpu::GPUModuleOp module, const Sizes &sizes, llvm::ArrayRef<LaunchOp> launches);
  /// What a launch has in a dimension: the lesser of what is counted and of `most`, or that many.
  mlir::Value emit(mlir::OpBuilder &b, LaunchOp launch, unsigned dim, int64_t most);

private:
  llvm::MapVector<mlir::Operation *, size_t> places;
  mlir::Value buffer;
};

} // namespace heddle

#endif // HEDDLE_TARGETS_GPU_WORKGROUPCOUNTS_H
