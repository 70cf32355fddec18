//===- LinearLowering.h - linear layers as tasks over panels ----*- C++ -*-===//

#ifndef HEDDLE_LOWERING_PANELS_LINEARLOWERING_H
#define HEDDLE_LOWERING_PANELS_LINEARLOWERING_H

#include "ActiveRows.h"
#include "Emit.h"
#include "LinearEpilogue.h"
#include "MatrixTiles.h"
#include "PanelPlace.h"
#include "RoundedOperands.h"
#include "WeightPrefetch.h"

#include "Heddle.h"

#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"

namespace heddle {

/// How a weight is read through the caches. A panel of more than `panelBytes` bytes is cut into parts where
/// cutContraction (ContractionParts.h) allows it; 0 means that no panel is cut. Panels are prefetched as `pace`
/// describes.
struct WeightPath {
  int64_t panelBytes = 0;
  PrefetchPace pace;
};
/// Reads the four parameters `weight` of transform.heddle.lower_linear: `panelBytes` in KiB, and the three members of
/// `pace`. Without parameters, panels are not cut, and nothing is prefetched. Fails for any other number of parameters,
/// and if a value is out of range.
mlir::FailureOr<WeightPath> readWeightPath(mlir::transform::TransformState &state, mlir::ValueRange params);

/// The lowering of one layer (transform.heddle.lower_linear) to tasks over blocks of rows and panels of columns.
/// Private functions are documented at their definitions, in the files that the comments name.
class LinearLowering {
public:
  /// `lanes` is the number of elements of a vector, `panel` the number of columns of a tile, and `registers` the number
  /// of accumulators of a tile. `rounded`: the operands of the products if they are not the layer's input and weight.
  LinearLowering(mlir::RewriterBase &b, LinearOp linear, int64_t lanes, int64_t panel, int64_t registers,
                 const WeightPath &path, std::optional<RoundedOperands> rounded = std::nullopt)
      : b(b), linear(linear), lanes(lanes), panel(panel), registers(registers), panelBytes(path.panelBytes),
        pace(path.pace), rounded(std::move(rounded)), loc(linear.getLoc()),
        element(mlir::cast<mlir::RankedTensorType>(linear.getResult().getType()).getElementType()) {}

  /// Replaces the layer. Emits an error and fails if the layer cannot be lowered.
  mlir::LogicalResult run();

private:
  using Value = mlir::Value;
  using OpBuilder = mlir::OpBuilder;
  using OpFoldResult = mlir::OpFoldResult;
  /// A block of rows of the input times one panel.
  struct Task {
    Value input, weights;     // the rows of the block (for matrix instructions, of the layer), and the panel
    OpFoldResult row, number; // the row of the layer where `input` begins, and the number of the panel
    // The rows of the block (of a tile if the block's rows are known only at run time), the rows of a tile, and the
    // columns of the panel.
    int64_t rows, step, columns;
    // Which tiles of the task prefetch: if `sharer` is null, all tiles do. Otherwise, the first `sharers` tiles do, and
    // `sharer` is the index of the current tile.
    OpFoldResult sharer = {};
    int64_t sharers = 0;
  };
  struct PanelBlock;

  // LowerLinear.cpp: tasks.
  mlir::LogicalResult prepare();
  int64_t accumulators();
  int64_t maxTileRows(int64_t width);
  int64_t tileRows(int64_t width, int64_t rows);
  void columns(int64_t firstPanel, int64_t count, int64_t width);
  void anyRows(int64_t blocks, int64_t firstPanel, int64_t count, int64_t width);
  void rows(int64_t firstRow, RowBlocks blocks, int64_t firstPanel, int64_t count, int64_t width);

  // LinearPanels.cpp: the code of a task.
  int64_t padded(int64_t width);
  OpFoldResult emitSum(OpBuilder &b, OpFoldResult left, OpFoldResult right);
  Value panelOf(const PanelPlace &place, int64_t width, int64_t blockRows);
  TaskPart block(OpFoldResult row, const Extent &size, int64_t step, OpFoldResult number, int64_t width, Value out);
  Value inTiles(Task &task, const Extent &size, Value target,
                llvm::function_ref<Value(OpBuilder &, OpFoldResult, int64_t, Value)> tile);
  Value sumParts(const Task &task);
  Value multiply(OpBuilder &b, const Task &task, OpFoldResult at, int64_t rows, OpFoldResult which, Value start);
  Value emitRoundedTile(OpBuilder &b, Value sums, const ProductTile &tile, const RowTile &ofRows,
                        const LinearEpilogue &finish, Value target);
  Value ifActive(OpBuilder &b, const Task &task, OpFoldResult at, int64_t rows, Value target,
                 llvm::function_ref<Value(OpBuilder &, Value flags)> compute);

  mlir::RewriterBase &b;
  LinearOp linear;
  int64_t lanes, panel, registers, panelBytes; // as described at the constructor and at WeightPath
  PrefetchPace pace;
  std::optional<RoundedOperands> rounded;
  mlir::Location loc;
  mlir::Type element;
  mlir::Type sum; // the element type of accumulators
  Value input, weight, residual, dest; // matrices, or a packed weight; `residual` is null if the layer has none
  std::optional<ActiveRows> active; // activity of rows; none: all rows are active
  mlir::linalg::GenericOp narrowing; // the conversion of the result to a narrower type; null: none
  std::optional<WeightPrefetch> prefetch;
  Extent m;                          // the number of rows of the result
  int64_t n = 0, k = 0;        // the number of the weight's columns, and of its rows (or groups of `depth` rows)
  int64_t depth = 1;           // rows of the weight that one dot product multiplies
  int64_t parts = 1, part = 0; // the number of parts of the contraction, and the length of a part
  llvm::SmallVector<int64_t> packing; // the weight's shape, with the last dimension divided by `depth`
  int64_t stored = 0;                 // the number of columns of a packed panel
  int64_t interleaved = 1;            // the number of interleaved panels, which a tile may use together
  bool packed = false, epilogue = false; // whether the weight is packed, and whether there is an epilogue
};

} // namespace heddle

#endif // HEDDLE_LOWERING_PANELS_LINEARLOWERING_H
