//===- RowTileLowering.h - softmax and norms by rows in registers ---------===//

#ifndef HEDDLE_LOWERING_TILES_ROWTILELOWERING_H
#define HEDDLE_LOWERING_TILES_ROWTILELOWERING_H

#include "ActiveRows.h"
#include "RowLayers.h"

#include "Heddle.h"

namespace heddle {

/// The rows of a layer, [rows, columns], that are computed independently.
struct LayerRows {
  Extent rows, columns;

  /// Returns the rows of a linalg.softmax, heddle.layer_norm or heddle.rms_norm on tensors of static shape.
  static LayerRows of(mlir::Operation *layer);
};

/// The numbers that determine the blocks of rows (transform.heddle.lower_row_tiles).
struct RowBlockLimits {
  int64_t warps;   // the maximum number of warps of a workgroup
  int64_t blocks;  // the number of workgroups that fill a device
  int64_t columns; // the minimum number of columns of a warp that shares a row with other warps
  int64_t lanes;   // the maximum number of lanes of a warp that share a row, unless the row is long (RowBlock::of)
};

/// The rows that a workgroup computes. They lie in the registers of `warpRows` x `warpColumns` warps: `warpColumns`
/// warps share the same rows, and in each warp, `lanes` lanes share `down` rows. Of every `lanes` * `width` columns of
/// a warp, each lane has `width` adjacent elements in each of these rows.
struct RowBlock {
  int64_t warpRows, warpColumns, lanes, width, down;
  int64_t columns; // the number of columns of the tile: at least the number of elements in a row

  /// The maximum number of elements of a lane: they take about half of the 255 registers of a thread.
  static constexpr int64_t maxElements = 128;

  /// Returns the block for a layer. Accesses have at most 128 bits and are aligned in every row. If a row is too short
  /// for `limits.lanes` lanes of a warp, fewer lanes share it; if each of them would have more than 64 elements, more
  /// do. If there are so few rows that the device's multiprocessors would not get enough warps, several warps share a
  /// row. Workgroups are as large as possible, but not so large that there are fewer than `limits.blocks`.
  static RowBlock of(const LayerRows &rows, const RowBlockLimits &limits);
  /// Doubles the number of rows of each lane as long as it has at most `maxElements` elements, there are at least
  /// `blocks` workgroups for the fewest rows, and a workgroup has at most `maxRows` rows. A warp reads an operand that
  /// all rows share, such as the scale of a norm, once for all of its rows.
  void addRows(const LayerRows &rows, int64_t blocks, int64_t maxRows);
  int64_t getRows() const { return warpRows * down * FragmentKind::lanes / lanes; }
  /// The number of elements that a lane has of its rows.
  int64_t countElements() const { return down * columns / (warpColumns * lanes); }
};

/// Lowers one linalg.softmax, heddle.layer_norm or heddle.rms_norm (transform.heddle.lower_row_tiles). Private
/// functions are documented in RowTileLowering.cpp.
class RowTileLowering {
public:
  RowTileLowering(mlir::RewriterBase &b, mlir::Operation *layer, const RowBlockLimits &limits);
  void run();

private:
  mlir::Value allocate(llvm::ArrayRef<int64_t> shape);
  mlir::Value firstOf(mlir::Value tile, llvm::ArrayRef<mlir::OpFoldResult> sizes);
  mlir::OpFoldResult countActive(mlir::OpFoldResult firstRow, mlir::OpFoldResult height);
  mlir::Value emitInput(mlir::OpFoldResult firstRow, mlir::OpFoldResult height);
  TaskPart emitBlock(mlir::Value number, mlir::Value out);

  mlir::RewriterBase &b;
  mlir::Operation *layer;
  mlir::Location loc;
  std::optional<NormLayer> norm; // the layer, if it is a norm
  LayerRows extents;
  RowBlockLimits limits;
  RowBlock block;
  mlir::Value input, residual, dest; // matrices; `residual` is null if the layer has none
  std::optional<ActiveRows> active;  // the row select that reads the result and is lowered with the layer, if any
};

} // namespace heddle

#endif // HEDDLE_LOWERING_TILES_ROWTILELOWERING_H
