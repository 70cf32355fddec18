//===- LinearBlockLowering.h - linear layers in workgroup blocks ----------===//

#ifndef HEDDLE_LOWERING_BOXES_LINEARBLOCKLOWERING_H
#define HEDDLE_LOWERING_BOXES_LINEARBLOCKLOWERING_H

#include "ActiveRows.h"
#include "TileTasks.h"
#include "WorkgroupTile.h"

#include "Heddle.h"

namespace heddle {

/// The tile sizes of a workgroup and of its threads.
struct LinearBlock {
  int64_t rows, columns;       // the size of a workgroup's block
  int64_t depth;               // the number of terms of the contraction in one step
  int64_t threadRows, vectors; // the rows of a thread, and its vectors of wideLanes (4) columns in each row
  // The numbers of threads along the rows and the columns of a block.
  int64_t rowThreads() const { return rows / threadRows; }
  int64_t columnThreads() const { return columns / (wideLanes * vectors); }
};

/// Lowers one heddle.linear (transform.heddle.lower_linear_blocks). Private functions are documented in
/// LowerLinearBlocks.cpp and LinearBlockResult.cpp.
class LinearBlockLowering {
public:
  LinearBlockLowering(mlir::RewriterBase &b, LinearOp linear, LinearBlock block)
      : b(b), linear(linear), loc(linear.getLoc()), block(block) {}
  mlir::LogicalResult run();

private:
  void prepare();
  mlir::OpFoldResult sum(llvm::ArrayRef<mlir::OpFoldResult> terms, llvm::ArrayRef<int64_t> factors) {
    return emitSum(b, loc, terms, factors);
  }
  mlir::OpFoldResult countFrom(mlir::OpFoldResult first, mlir::OpFoldResult all, int64_t size);
  TaskPart emitBlock(mlir::ValueRange at, mlir::Value out);
  mlir::Value bringInput(mlir::OpFoldResult from, int64_t depth);
  mlir::Value bringWeight(mlir::OpFoldResult from, int64_t depth);
  mlir::Value emitThreads(mlir::Value dest, llvm::function_ref<TaskPart(mlir::ValueRange, mlir::Value)> body);
  mlir::Value emitStep(mlir::OpFoldResult from, int64_t depth, mlir::Value sums);
  mlir::Value emitSums();
  TaskPart emitFinish(mlir::ValueRange at, int64_t vector, mlir::Value sums, mlir::Value out);
  mlir::Value finishRow(mlir::OpFoldResult row, mlir::OpFoldResult column, mlir::Value product, int64_t width,
                        mlir::Value target);
  mlir::Value guarded(mlir::Value isInside, mlir::Value target, llvm::function_ref<mlir::Value()> then);
  mlir::Value isLess(mlir::OpFoldResult left, mlir::OpFoldResult right);

  mlir::RewriterBase &b;
  LinearOp linear;
  mlir::Location loc;
  LinearBlock block;
  mlir::Type element;                // the type of the result's elements
  mlir::Value input, residual, dest; // matrices; `residual` is null if the layer has none
  std::optional<ActiveRows> active;  // the row select that follows the layer and is lowered with it, if there is one
  Extent m;                                     // rows of the result
  int64_t n = 0, k = 0;                         // columns of the result, and of the input
  bool packed = false;                          // whether the weight is in panels
  bool wholeRows = false, wholeColumns = false; // whether blocks divide the rows, or the columns, without a remainder
  // The position of the current block, and its number of rows and columns.
  mlir::OpFoldResult panel, firstRow, firstColumn, height, width;
};

} // namespace heddle

#endif // HEDDLE_LOWERING_BOXES_LINEARBLOCKLOWERING_H
