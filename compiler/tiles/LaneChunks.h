//===- LaneChunks.h - the chunks of rows that a lane has --------*- C++ -*-===//

#ifndef HEDDLE_TILES_LANECHUNKS_H
#define HEDDLE_TILES_LANECHUNKS_H

#include "ElementCode.h"

namespace heddle {

/// The chunks of a lane's rows of a tile in registers. Operands that are the same in all rows are loaded once for the
/// chunks in the same columns: before all rows, or, if they are many, before these chunks.
class LaneChunks {
public:
  /// Emits the columns of the chunks, each of which has `width` elements. `endColumn` is the end of the columns of an
  /// operation; null: the end of the tile. `thread` is the index of the thread in the workgroup.
  LaneChunks(LaneCode &lanes, mlir::ImplicitLocOpBuilder &b, mlir::Value thread, const FragmentLayout &layout,
             int64_t width, mlir::Value endColumn);

  /// If rows share so many elements that a lane cannot keep them in registers, emits the body of the operation column
  /// by column and returns true: for each group of columns, the code loads the shared elements and then computes the
  /// chunks of all rows in these columns. Otherwise emits nothing and returns false. The body must not have reductions.
  /// `endRow` is the end of the rows; null: the end of the tile.
  bool emitColumnByColumn(ElementCode &code, mlir::Value endRow);
  /// If the lane has several rows, loads the operands that they share for all chunks. If it has one row, they are to be
  /// loaded next to their use, so that few of them are in registers at a time.
  void load(ElementCode &code);
  /// Returns, for each group of FragmentLayout::findRows, the chunks in this row of a block and of all blocks beside
  /// it.
  llvm::ArrayRef<std::vector<ElementChunk>> get() const { return chunks; }

private:
  int64_t countRows() const { return layout.getDown() * int64_t(chunks.size()); }

  LaneCode &lanes;
  mlir::ImplicitLocOpBuilder &b;
  mlir::Value thread;
  const FragmentLayout &layout;
  llvm::SmallVector<std::vector<ElementChunk>> chunks;
};

} // namespace heddle

#endif // HEDDLE_TILES_LANECHUNKS_H
