//===- LinearLowering.h - a layer as tasks over rows and panels -*- C++ -*-===//

#ifndef HEDDLE_LOWERING_PANELS_LINEARLOWERING_H
#define HEDDLE_LOWERING_PANELS_LINEARLOWERING_H

#include "ActiveRows.h"
#include "Emit.h"
#include "PanelPlace.h"
#include "WeightPrefetch.h"

#include "Heddle.h"

namespace heddle {

/// The lowering of one layer (transform.heddle.lower_linear): tasks over blocks of rows and panels of columns.
class LinearLowering {
public:
  LinearLowering(mlir::RewriterBase &b, LinearOp linear, int64_t lanes, int64_t panel, int64_t registers,
                 int64_t panelBytes, PrefetchPace pace)
      : b(b), linear(linear), lanes(lanes), panel(panel), registers(registers), panelBytes(panelBytes), pace(pace),
        loc(linear.getLoc()),
        element(mlir::cast<mlir::RankedTensorType>(linear.getResult().getType()).getElementType()) {}

  mlir::LogicalResult run();

private:
  using Value = mlir::Value;
  using OpBuilder = mlir::OpBuilder;
  using OpFoldResult = mlir::OpFoldResult;
  /// A block of rows of the input times one panel.
  struct Task {
    Value input, weights;
    OpFoldResult row, number;
    int64_t rows, step, columns;
  };

  // LowerLinear.cpp: tasks.
  mlir::LogicalResult prepare();
  int64_t accumulators();
  int64_t tileRows(int64_t width, int64_t rows);
  void columns(int64_t firstPanel, int64_t count, int64_t width);
  void anyRows(int64_t blocks, int64_t firstPanel, int64_t count, int64_t width);
  void rows(int64_t firstRow, RowBlocks blocks, int64_t firstPanel, int64_t count, int64_t width);

  // LinearPanels.cpp: what a task computes.
  int64_t padded(int64_t width);
  Value panelOf(const PanelPlace &place, int64_t width, int64_t blockRows);
  TaskPart block(OpFoldResult row, const Extent &size, int64_t step, OpFoldResult number, int64_t width, Value out);
  Value sumParts(const Task &task);
  Value multiply(OpBuilder &b, const Task &task, OpFoldResult at, int64_t rows, OpFoldResult which, Value start);
  Value ifActive(OpBuilder &b, const Task &task, OpFoldResult at, int64_t rows, Value target,
                 llvm::function_ref<Value(OpBuilder &, Value flags)> compute);

  mlir::RewriterBase &b;
  LinearOp linear;
  int64_t lanes, panel, registers, panelBytes;
  PrefetchPace pace;
  mlir::Location loc;
  mlir::Type element;
  Value input, residual, dest;
  std::optional<ActiveRows> active; // rows that are needed; none: all
  std::optional<WeightPrefetch> prefetch;
  Extent m; // rows
  int64_t n = 0, k = 0;
  int64_t parts = 1, part = 0; // of the contraction, one after the other; elements of each
  int64_t stored = 0;          // columns of a packed panel
  int64_t abreast = 1;         // packed panels that a tile may take at a time
  bool packed = false, epilogue = false;
};

} // namespace heddle

#endif // HEDDLE_LOWERING_PANELS_LINEARLOWERING_H
