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

/// How the contraction of a layer with few blocks is divided into parts, each of which a workgroup computes.
struct LinearParts {
  int64_t workgroups = 0; // the number of workgroups that fill a device; 0: the contraction is not divided
  int64_t terms = 1;      // the minimum number of terms of a part

  /// Returns the number of terms of a part, a multiple of `depth`, for a contraction of k terms in a layer of `blocks`
  /// blocks: at least k if the contraction is not divided. It is divided only if there are at most a quarter as many
  /// blocks as `workgroups`: the sums of parts are written and read again, which takes too long for a large layer.
  int64_t findTerms(int64_t k, int64_t depth, int64_t blocks) const;
};

/// Lowers one heddle.linear (transform.heddle.lower_linear_tiles). Private functions are documented in
/// LinearTileLowering.cpp and LinearTileParts.cpp.
class LinearTileLowering {
public:
  LinearTileLowering(mlir::RewriterBase &b, LinearOp linear, FragmentKind kind, TileBlock block, int64_t blocks,
                     LinearParts parts)
      : b(b), linear(linear), loc(linear.getLoc()), kind(kind), block(block), blocks(blocks), parts(parts) {}
  void run();

private:
  void prepare();
  mlir::Value allocate(llvm::ArrayRef<int64_t> shape, FragmentRole role, mlir::Attribute place);
  mlir::Value copy(FragmentRole role, mlir::Value source, llvm::ArrayRef<mlir::OpFoldResult> at,
                   llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<mlir::OpFoldResult> valid);
  mlir::Value emitSums();
  mlir::Value emitStep(mlir::OpFoldResult from, mlir::Value sums);
  void begin(mlir::ValueRange at);
  mlir::Value emitProducts(mlir::Value begin, mlir::Value end);
  TaskPart finish(mlir::Value sums, mlir::Value out);
  TaskPart emitBlock(mlir::ValueRange at, mlir::Value out);
  TaskPart emitPart(mlir::ValueRange at, mlir::Value out);
  mlir::Value emitJoinedSums(mlir::Value tile, mlir::Value sumsOfParts);
  mlir::Value emitParts(llvm::ArrayRef<Extent> counts);

  mlir::RewriterBase &b;
  LinearOp linear;
  mlir::Location loc;
  FragmentKind kind;
  TileBlock block;
  int64_t blocks;                    // the number of blocks that a large result should have
  LinearParts parts;
  int64_t termsOfPart = 0; // at least k if the contraction is not divided
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
