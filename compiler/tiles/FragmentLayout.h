//===- FragmentLayout.h - which elements of a tile a lane has ---*- C++ -*-===//

#ifndef HEDDLE_TILES_FRAGMENTLAYOUT_H
#define HEDDLE_TILES_FRAGMENTLAYOUT_H

#include "Heddle.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// The layout of a tile in registers. Its elements have the type of the kind's sums or of its left factors; both types
/// have the same layout. Each warp has a part of the tile, `down` x `across` blocks with the shape of the kind's sum. A
/// lane keeps its elements of the first block, then those of the next block, and so on. A tensor of rank 1 has one
/// element for each row of a tile; of this tensor, a lane keeps one element for each group of elements in the same row
/// (findRows) in each block.
class FragmentLayout {
public:
  /// Returns the layout of a buffer in #heddle.fragments. Emits an error at `op` and fails if the tile does not consist
  /// of whole blocks, has a dynamic shape, or has elements of another type.
  static mlir::FailureOr<FragmentLayout> of(mlir::Operation *op, mlir::MemRefType type);

  /// Returns whether each lane has the same positions of both tiles. The types of elements may differ.
  bool operator==(const FragmentLayout &other) const {
    return type.getShape() == other.type.getShape() && type.getMemorySpace() == other.type.getMemorySpace();
  }
  /// Returns whether this is a tensor of rank 1, and whether its elements belong to the rows of `tile`.
  bool isOfRows() const { return type.getRank() == 1; }
  bool isOfRowsOf(const FragmentLayout &tile) const;

  FragmentKind getKind() const { return kind; }
  /// The rows and columns of the tile; a tensor of rank 1 has one column.
  int64_t getRows() const { return type.getDimSize(0); }
  int64_t getColumns() const { return isOfRows() ? 1 : type.getDimSize(1); }
  /// The number of warps that share a row.
  int64_t getWarpsAcross() const { return warpColumns; }
  /// The end of the rows, or columns, of a block in the last warp.
  int64_t getEndOfRows(int64_t blockDown) const { return getRows() - (down - 1 - blockDown) * m; }
  int64_t getEndOfColumns(int64_t blockAcross) const { return getColumns() - (across - 1 - blockAcross) * n; }
  /// The number of elements of a lane in all blocks, and in one block.
  int64_t getCount() const { return down * across * inBlock; }
  int64_t getCountInBlock() const { return inBlock; }
  int64_t getDown() const { return down; }
  int64_t getAcross() const { return across; }
  /// The index, among all elements of a lane, of the first element in a block.
  int64_t getFirst(int64_t blockDown, int64_t blockAcross) const {
    return (blockDown * across + blockAcross) * inBlock;
  }

  /// Returns the largest power of two, at most `maximum`, such that every lane's elements of a block form groups of
  /// this size, each of adjacent elements in a row.
  int64_t findWidth(int64_t maximum) const;
  /// Divides a lane's elements of a block into groups, and returns these groups of indices. In every lane, the elements
  /// of a group are in the same row.
  llvm::SmallVector<llvm::SmallVector<int64_t>> findRows() const;
  /// Returns whether, in every lane, two elements of a block are in the same row (`dim` 0) or column (`dim` 1).
  bool areInLine(unsigned dim, int64_t left, int64_t right) const;
  /// Returns the bits of a lane's index such that two lanes share their rows if their indices differ only in these
  /// bits. Emits an error at `op` and fails if any other lanes have elements of the same row.
  mlir::FailureOr<llvm::SmallVector<int64_t>> findSharingBits(mlir::Operation *op) const;

  /// Emits the row or the column, in the tile, of the lane's element `element` of a block. If `element` is nullopt,
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

/// The place of an element among those that a lane has of a tile in registers: a block, counted along a row of blocks,
/// and the element in this block.
struct ElementPlace {
  int64_t across, element;
};
/// Returns where the elements of a lane's left factor are if the factor is a part of a tile with the layout of sums:
/// for each element, its place relative to the factor's first block. Fails if other lanes have some of the elements.
mlir::FailureOr<llvm::SmallVector<ElementPlace>> findLeftInSums(FragmentKind kind);

/// Emits the index of the thread's lane in its warp, or the index of the warp in the workgroup.
mlir::Value emitLane(mlir::ImplicitLocOpBuilder &b, mlir::Value thread);
mlir::Value emitWarp(mlir::ImplicitLocOpBuilder &b, mlir::Value thread);

} // namespace heddle

#endif // HEDDLE_TILES_FRAGMENTLAYOUT_H
