//===- LinearTileLowering.h - linear layers by tiles with places ----------===//

#ifndef HEDDLE_LOWERING_TILES_LINEARTILELOWERING_H
#define HEDDLE_LOWERING_TILES_LINEARTILELOWERING_H

#include "ActiveRows.h"

#include "Heddle.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace heddle {

/// The block of a result that a workgroup computes.
struct TileBlock {
  int64_t rows, columns;         // the size of the block
  int64_t depth;                 // the number of terms of the contraction in one step
  int64_t warpRows, warpColumns; // the warps among which the block is divided
  int64_t stages;                // the number of buffers of each tile in workgroup memory (notes::stages)

  /// Return the number of threads of the workgroup, and the number of sums of each lane.
  int64_t countThreads() const { return FragmentKind::lanes * warpRows * warpColumns; }
  int64_t countSums() const { return rows * columns / countThreads(); }
  /// Returns the maximum number of sums of a lane, such that its registers can hold these sums and the factors of a
  /// step.
  static int64_t maxSums(FragmentKind kind);
  /// Halves the number of warps until the workgroup has at most `threads` threads, and with it the block if a lane
  /// would have more than `maxSums` sums. Returns false if the number of warps cannot be halved.
  bool limitThreads(FragmentKind kind, int64_t threads);
  /// Halves the block along rows or columns until it is less than twice as large as the result, [m, n], and until there
  /// are `blocks` blocks, as far as the block remains divisible.
  void fit(FragmentKind kind, int64_t m, int64_t n, int64_t blocks);
};

/// Lowers one heddle.linear (transform.heddle.lower_linear_tiles). Private functions are documented in
/// LinearTileLowering.cpp.
class LinearTileLowering {
public:
  LinearTileLowering(mlir::RewriterBase &b, LinearOp linear, FragmentKind kind, TileBlock block, int64_t blocks)
      : b(b), linear(linear), loc(linear.getLoc()), kind(kind), block(block), blocks(blocks) {}
  void run();

private:
  void prepare();
  mlir::Value allocate(llvm::ArrayRef<int64_t> shape, FragmentRole role, mlir::Attribute place);
  mlir::Value copy(FragmentRole role, mlir::Value source, llvm::ArrayRef<mlir::OpFoldResult> at,
                   llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<mlir::OpFoldResult> valid);
  mlir::Value emitSums();
  mlir::Value emitStep(mlir::OpFoldResult from, mlir::Value sums);
  TaskPart emitBlock(mlir::ValueRange at, mlir::Value out);

  mlir::RewriterBase &b;
  LinearOp linear;
  mlir::Location loc;
  FragmentKind kind;
  TileBlock block;
  int64_t blocks;                    // the number of blocks that a large result should have
  mlir::Value input, residual, dest; // matrices; `residual` is null if the layer has none
  mlir::Value bias;                  // a vector of n elements, or null
  std::optional<ActiveRows> active;  // the row select that reads the result and is lowered with the layer, if any
  mlir::linalg::GenericOp narrowing; // converts the result to a narrower type, if it is its only user; else null
  Extent m;                          // rows of the result
  int64_t n = 0, k = 0;              // columns of the result, and of the input
  // The position of the current block, and its number of rows and columns.
  mlir::OpFoldResult firstRow, firstColumn, height, width;
};

} // namespace heddle

#endif // HEDDLE_LOWERING_TILES_LINEARTILELOWERING_H
