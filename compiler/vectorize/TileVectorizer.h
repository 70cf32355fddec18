//===- TileVectorizer.h - linalg on static tiles as vectors ---------------===//
//
// Rewrites one linalg op after another. The innermost dimension of the result runs
// along the lanes of 1-D vectors, some rows stay in registers, reductions are loops
// that carry this register tile. Tiles small enough to be unrolled whole go
// from one op to the next in registers; only their last writer is left in the end.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_VECTORIZE_TILEVECTORIZER_H
#define HEDDLE_VECTORIZE_TILEVECTORIZER_H

#include "DotForm.h"
#include "RegisterTiles.h"
#include "Vectorizer.h"

#include "mlir/IR/PatternMatch.h"

#include <map>

namespace heddle {

/// A place in the iteration space: one index per loop, static where it is known.
struct TilePoint {
  llvm::SmallVector<mlir::OpFoldResult> at;
  int64_t valid = 1;   // lanes that hold elements
  int64_t row = 0;     // number of the point along the blocked dimension
  int64_t rows = 1;    // and of how many
};

/// How the loops of one op are run.
struct TilePlan {
  llvm::SmallVector<Extent> extents;
  llvm::SmallVector<bool> reduction;
  int lane = -1;             // the loop along the lanes, or none: scalars
  bool laneReduced = false;  // it is a reduction: partial results in lanes, then one sum
  int64_t vectors = 1;       // vectors along the lanes in one register tile
  llvm::SmallVector<unsigned> outer, unrolled, reduced;
  int blocked = -1;          // parallel loop that is run in register tiles of `block` rows
  int64_t block = 1;
  int transposed = -1;       // operand read in squares and transposed (blocked is its innermost)
  std::optional<DotForm> dot; // one heddle.dot takes the innermost loop, a reduction, at once
};

class TileVectorizer {
public:
  TileVectorizer(mlir::RewriterBase &rewriter, const VectorOptions &options)
      : rewriter(rewriter), b(rewriter.getUnknownLoc(), rewriter), options(options), lanes(options.lanes),
        registers(b, lanes) {}

  /// Replaces the op. Fails with an error where its body or shape cannot be vectorised.
  mlir::LogicalResult vectorize(mlir::linalg::LinalgOp op);

private:
  using Values = llvm::SmallVector<mlir::Value>;

  // TilePlan.cpp
  TilePlan makePlan(llvm::ArrayRef<Extent> extents);
  void chooseLane(TilePlan &plan);
  void chooseSquares(TilePlan &plan);
  void chooseBlocks(TilePlan &plan);

  // TileVectorizer.cpp
  Values emitOuter(unsigned depth, TilePoint point, Values outs);
  Values emitBlocked(TilePoint point, Values outs);
  Values emitLanes(TilePoint point, Values outs);
  Values emitBlock(TilePoint point, int64_t laneCount, Values outs);
  Values loop(const Extent &extent, int64_t step, Values inits,
              llvm::function_ref<Values(mlir::OpFoldResult, int64_t, Values)> body);
  llvm::SmallVector<LaneValue> evaluate(const TilePoint &point, llvm::ArrayRef<LaneValue> arguments);

  // TileReduction.cpp
  bool foldsTogether(llvm::ArrayRef<TilePoint> points);
  Values emitReduction(llvm::ArrayRef<TilePoint> points, Values outs);
  mlir::Value writeTogether(unsigned output, mlir::Value tensor, llvm::ArrayRef<TilePoint> points, const Values &totals,
                            mlir::Value start);
  Values reduceOuter(unsigned depth, llvm::SmallVector<TilePoint> points, Values carried);
  Values reduceInner(llvm::SmallVector<TilePoint> points, Values carried);
  void reduceStep(llvm::ArrayRef<TilePoint> points, mlir::OpFoldResult inner, int64_t valid, unsigned set,
                  Values &carried);
  mlir::Value neutral(unsigned output, const TilePoint &point);

  // TileOperand.cpp
  LaneValue read(mlir::OpOperand &operand, mlir::Value tensor, const TilePoint &point);
  mlir::Value write(mlir::OpOperand &init, mlir::Value tensor, const TilePoint &point, LaneValue value,
                    bool laneInside);
  LaneValue readForDot(mlir::OpOperand &operand, mlir::Value tensor, const TilePoint &point);
  LaneValue readTransposed(mlir::OpOperand &operand, mlir::Value tensor, const TilePoint &point);
  bool onlyPrefetched(mlir::OpOperand &input);
  void prefetch(mlir::OpOperand &input, const TilePoint &point);
  llvm::SmallVector<mlir::OpFoldResult> indices(mlir::AffineMap map, const TilePoint &point);
  bool usesHalves();
  int64_t widthFor(int64_t valid);

  mlir::RewriterBase &rewriter;
  VectorBuilder b;
  VectorOptions options;
  int64_t lanes;
  RegisterTiles registers;

  // Of the op that is being rewritten.
  mlir::linalg::LinalgOp op;
  TilePlan plan;
  bool halves = false;   // its last vector may be half a one
  bool recording = false; // the whole tile is unrolled: its results are register tiles
  llvm::SmallVector<RegisterTile> recorded;
  llvm::SmallVector<unsigned> accumulated, streamed; // outputs; empty without reductions
  unsigned sets = 1;                                 // independent accumulators per point
  std::map<std::pair<unsigned, int64_t>, Values> squares; // transposed reads of this block
};

} // namespace heddle

#endif // HEDDLE_VECTORIZE_TILEVECTORIZER_H
