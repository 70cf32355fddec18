//===- FragmentLayout.h - which elements of a tile a lane has ---*- C++ -*-===//

#ifndef HEDDLE_TILES_FRAGMENTLAYOUT_H
#define HEDDLE_TILES_FRAGMENTLAYOUT_H

#include "Heddle.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// A tile in registers. The part of a warp consists of `down` x `across` blocks with the shape of the kind's sum. A
/// lane keeps the elements that it has of each block one after the other. Of a tensor of rank 1, which has one element
/// for each row of a tile, a lane keeps one element for each of the row's groups (findRows) of each block.
class FragmentLayout {
public:
  /// Returns the layout of a buffer in #heddle.fragments. Emits an error at `op` and fails if the tile does not consist
  /// of whole blocks.
  static mlir::FailureOr<FragmentLayout> of(mlir::Operation *op, mlir::MemRefType type);

  bool operator==(const FragmentLayout &other) const { return type == other.type; }
  /// Returns whether this is a tensor of rank 1, and whether its elements belong to the rows of `tile`.
  bool isOfRows() const { return type.getRank() == 1; }
  bool isOfRowsOf(const FragmentLayout &tile) const;

  FragmentKind getKind() const { return kind; }
  /// The rows and columns of the tile; a tensor of rank 1 has one column.
  int64_t getRows() const { return type.getDimSize(0); }
  int64_t getColumns() const { return isOfRows() ? 1 : type.getDimSize(1); }
  /// The number of warps that share a row.
  int64_t getWarpsAcross() const { return warpColumns; }
  /// The end of the rows, or columns, that a block has in any warp.
  int64_t getEndOfRows(int64_t blockDown) const { return getRows() - (down - 1 - blockDown) * m; }
  int64_t getEndOfColumns(int64_t blockAcross) const { return getColumns() - (across - 1 - blockAcross) * n; }
  /// The number of elements of a lane, in all blocks and in one.
  int64_t getCount() const { return down * across * inBlock; }
  int64_t getCountInBlock() const { return inBlock; }
  int64_t getDown() const { return down; }
  int64_t getAcross() const { return across; }
  /// The index, among all elements of a lane, of the first element in a block.
  int64_t getFirst(int64_t blockDown, int64_t blockAcross) const {
    return (blockDown * across + blockAcross) * inBlock;
  }

  /// Returns the largest power of two, at most `maximum`, such that in every lane the elements of a block form groups
  /// of this size that are neighbours in a row.
  int64_t findWidth(int64_t maximum) const;
  /// Returns the elements of a block in groups whose elements are in the same row, whatever the lane.
  llvm::SmallVector<llvm::SmallVector<int64_t>> findRows() const;
  /// Returns whether two elements of a block are in the same row (`dim` 0) or column (`dim` 1), whatever the lane.
  bool areInLine(unsigned dim, int64_t left, int64_t right) const;
  /// Returns the lanes that share rows: their indices differ exactly in the returned bits. Emits an error at `op` and
  /// fails if other lanes have elements of the same rows, too.
  mlir::FailureOr<llvm::SmallVector<int64_t>> findSharingBits(mlir::Operation *op) const;

  /// Emits the row or the column of the tile in which the lane's element `element` of a block is. Without an element,
  /// emits the first row or column of the block. `thread` is the index of the thread in the workgroup.
  mlir::Value emitRow(mlir::ImplicitLocOpBuilder &b, mlir::Value thread, int64_t blockDown,
                      std::optional<int64_t> element = std::nullopt) const;
  mlir::Value emitColumn(mlir::ImplicitLocOpBuilder &b, mlir::Value thread, int64_t blockAcross,
                         std::optional<int64_t> element = std::nullopt) const;
  /// Emits the index of the thread's warp among the warps that share its rows.
  mlir::Value emitWarpAcross(mlir::ImplicitLocOpBuilder &b, mlir::Value thread) const;

private:
  mlir::MemRefType type;
  FragmentKind kind;
  mlir::AffineMap layout; // of a block
  int64_t warpColumns = 1;
  int64_t m = 0, n = 0; // the shape of a block
  int64_t down = 0, across = 0, inBlock = 0;
};

/// Emits the index of the thread's lane in its warp, or the index of the warp in the workgroup.
mlir::Value emitLane(mlir::ImplicitLocOpBuilder &b, mlir::Value thread);
mlir::Value emitWarp(mlir::ImplicitLocOpBuilder &b, mlir::Value thread);

} // namespace heddle

#endif // HEDDLE_TILES_FRAGMENTLAYOUT_H
