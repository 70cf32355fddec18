//===- LaneCode.h - the code of each lane for tiles -------------*- C++ -*-===//

#ifndef HEDDLE_TILES_LANECODE_H
#define HEDDLE_TILES_LANECODE_H

#include "FragmentLayout.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace heddle {

/// A matrix or vector in global memory: the part of `buffer` that begins at `offsets`.
struct GlobalPart {
  mlir::Value buffer;
  llvm::SmallVector<mlir::Value> offsets;

  /// Returns the part of a buffer that `view` shows. `b` emits sums of offsets.
  static GlobalPart of(mlir::ImplicitLocOpBuilder &b, mlir::Value view);
  /// Returns whether `count` elements, from each multiple of `count` of the last index on, begin at a multiple of their
  /// size in memory.
  bool isAligned(int64_t count) const;
  /// Emits a view of a matrix whose first element is element (row, column) of the part, with the same rows; `rows` and
  /// `columns` are its extents. Accesses to it at constant indices then differ in the constant part of their addresses
  /// only, so that they share a register. The buffer must be aligned.
  mlir::Value emitView(mlir::ImplicitLocOpBuilder &b, mlir::Value row, mlir::Value column, int64_t rows,
                       int64_t columns) const;
  /// Emits the indices of an element of the part. There may be fewer indices than the buffer has dimensions; the part
  /// then has the first element in each dimension that comes before these indices.
  llvm::SmallVector<mlir::Value> emitIndices(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange indices) const;
};

/// Replaces the operations on tiles in a kernel by the code of each lane. A tile in registers becomes a private buffer
/// of each lane's elements, which is accessed at constant indices only. Private functions are documented in
/// TilesToLanes.cpp, LaneCopies.cpp, LaneProducts.cpp and LaneGenerics.cpp.
class LaneCode {
public:
  LaneCode(mlir::gpu::GPUFuncOp kernel, int64_t threads);
  mlir::LogicalResult run();

private:
  mlir::LogicalResult convert(mlir::Operation *op);
  mlir::LogicalResult convertBlock(mlir::Block &block);
  mlir::LogicalResult allocate(mlir::memref::AllocOp alloc);
  mlir::LogicalResult fill(mlir::linalg::FillOp op);
  mlir::LogicalResult copy(TileCopyOp op);
  mlir::LogicalResult product(mlir::linalg::MatmulOp op);
  mlir::LogicalResult generic(mlir::linalg::GenericOp op);

  bool isWorkgroupTile(mlir::Value value);
  void beforeReads();
  void beforeWrites();

  mlir::Value constant(int64_t value);
  mlir::Value load(mlir::Value registers, int64_t element);
  void store(mlir::Value value, mlir::Value registers, int64_t element);
  mlir::Value emitIf(mlir::Value condition, mlir::Type type, llvm::function_ref<mlir::Value()> then);
  mlir::Value emitLess(mlir::Value index, mlir::Value end);

  /// A tile in registers: the lane's elements, their places, and the part of the tile that an operand is.
  struct Fragment {
    FragmentLayout layout;
    mlir::Value registers;
    mlir::OpFoldResult rows, columns; // the part begins at the tile's first element
  };
  mlir::FailureOr<Fragment> findFragment(mlir::Operation *op, mlir::Value value);

  mlir::gpu::GPUFuncOp kernel;
  mlir::ImplicitLocOpBuilder b;
  int64_t threads; // of the workgroup
  mlir::Value thread;
  llvm::DenseMap<mlir::Value, mlir::Value> registers; // for each tile in registers, the private buffer
  /// Whether there may be reads, or writes, of workgroup memory since the last barrier.
  bool hasReads = false, hasWrites = false;
  llvm::SmallVector<mlir::memref::AllocOp> shared; // the tiles in workgroup memory
  llvm::SmallVector<mlir::Operation *> replaced;
};

} // namespace heddle

#endif // HEDDLE_TILES_LANECODE_H
