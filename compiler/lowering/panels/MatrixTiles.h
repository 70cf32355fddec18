//===- MatrixTiles.h - rows in the tiles of matrix instructions -*- C++ -*-===//

#ifndef HEDDLE_LOWERING_PANELS_MATRIXTILES_H
#define HEDDLE_LOWERING_PANELS_MATRIXTILES_H

#include "Extent.h"

namespace heddle {

/// A tile of a block of rows, and the rows that are multiplied for it. Vector instructions multiply the rows of the
/// tile. Matrix instructions multiply whole units of rows, so for the last tile of a block they also multiply rows of
/// the tile before it, whose results are dropped.
struct RowTile {
  mlir::OpFoldResult at; // the tile's first row in its block
  Extent count;          // the number of rows of the tile
  int64_t rows;          // the number of rows that are multiplied
  mlir::OpFoldResult from;    // the first of these rows: in the block, or for matrix instructions in the layer
  mlir::OpFoldResult dropped; // the number of rows that are multiplied before those of the tile
  /// Whether the layer has fewer rows than a unit. `from` is then 0, and rows from `count` on do not exist.
  bool isSmall = false;
};

/// Emits the computation of a tile of rows; returns `target` after the tile has been written to it.
using MatrixTileBody = llvm::function_ref<mlir::Value(mlir::OpBuilder &, const RowTile &, mlir::Value target)>;

/// Emits code that runs `body` on the tiles of a block of `size` rows (at least 1), whose first row is row `row` of the
/// layer's `all` rows, and returns the finished `target`. If the caller cuts the layer's rows into several blocks, all
/// blocks but the last must consist of whole tiles. Tiles have `step` rows, a multiple of `unit`; the last ones may
/// have fewer. The code does not grow with the number of different sizes that a block may have.
mlir::Value emitMatrixTiles(mlir::OpBuilder &b, mlir::Location loc, mlir::OpFoldResult row, const Extent &size,
                            const Extent &all, int64_t step, int64_t unit, mlir::Value target, MatrixTileBody body);

} // namespace heddle

#endif // HEDDLE_LOWERING_PANELS_MATRIXTILES_H
