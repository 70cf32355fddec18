//===- LaneBarriers.h - barriers between the accesses of lanes --*- C++ -*-===//

#ifndef HEDDLE_TILES_LANEBARRIERS_H
#define HEDDLE_TILES_LANEBARRIERS_H

#include "BufferOverlaps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// Accesses to memory that lanes share.
struct SharedAccesses {
  llvm::SmallVector<mlir::Value> readTiles, writtenTiles;   // tiles in workgroup memory; null is any tile
  llvm::SmallVector<mlir::Value> readGlobal, writtenGlobal; // buffers in global memory; null is any buffer

  /// Returns the accesses that the op or the operations in its regions may make.
  static SharedAccesses of(mlir::Operation *op);
  void add(const SharedAccesses &other);
  /// Adds the accesses of one operation to global memory, but not those of the operations in its regions. An operation
  /// that does not state its effects on memory may access any buffer.
  void addGlobal(mlir::Operation *op);
  /// Adds the accesses of one operation to tiles in workgroup memory.
  void addTiles(mlir::Operation *op);
};

/// Emits barriers between accesses of different lanes to the same memory if at least one of these accesses is a write.
/// Barriers are emitted at the insertion point of the builder.
class LaneBarriers {
public:
  LaneBarriers(mlir::gpu::GPUFuncOp kernel, mlir::ImplicitLocOpBuilder &b) : overlaps(kernel), b(b) {}

  /// Emit a barrier if accesses to workgroup memory since the last barrier may conflict with the reads of tiles
  /// (beforeReads) or with the writes to a tile (beforeWrites) that follow, and record these reads or writes. A tile is
  /// the buffer that the kernel allocates, or a view of it; null is any tile.
  void beforeReads(mlir::ValueRange tiles);
  void beforeWrites(mlir::Value tile);
  /// Records writes to a tile that no earlier access can conflict with, so that reads after them get a barrier.
  void addWrites(mlir::Value tile);
  /// Emits a barrier if accesses to global memory since the last barrier may conflict with the accesses that follow.
  void orderGlobal(mlir::ValueRange reads, mlir::ValueRange writes);
  /// Like orderGlobal, but also records the accesses that follow, because later accesses may conflict with them.
  void beforeGlobal(mlir::ValueRange reads, mlir::ValueRange writes);
  void emit();

  SharedAccesses since; // the accesses since the last barrier

private:
  BufferOverlaps overlaps; // of the buffers in global memory
  mlir::ImplicitLocOpBuilder &b;
};

} // namespace heddle

#endif // HEDDLE_TILES_LANEBARRIERS_H
