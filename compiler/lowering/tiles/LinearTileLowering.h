//===- LinearTileLowering.h - linear layers by tiles with places ----------===//

#ifndef HEDDLE_LOWERING_TILES_LINEARTILELOWERING_H
#define HEDDLE_LOWERING_TILES_LINEARTILELOWERING_H

#include "ActiveRows.h"
#include "LinearTileBlock.h"

#include "Heddle.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace heddle {

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
  LinearTileLowering(mlir::RewriterBase &b, LinearOp linear, FragmentKind kind, TileBlock block, BlockCount blocks,
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
  TaskPart emitSumsOfPart(mlir::Value sums, mlir::Value part);
  TaskPart emitPart(mlir::ValueRange at, mlir::Value out);
  mlir::Value emitJoinedSums(mlir::Value tile, mlir::Value sumsOfParts);
  mlir::Value emitParts(llvm::ArrayRef<Extent> counts);

  mlir::RewriterBase &b;
  LinearOp linear;
  mlir::Location loc;
  FragmentKind kind;
  TileBlock block;
  BlockCount blocks;
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
