//===- TileVectorizer.h - linalg on small static tiles as vectors ---------===//
//
// A TileVectorizer rewrites one linalg op after another. The innermost
// dimension of the result lies along the lanes of 1-D vectors, unless the lanes
// lie along a reduction. Some rows of the result form a register tile, and
// reductions are loops that carry this tile. A tile that is small enough to be
// unrolled as a whole is passed to the next op in registers. Writes of such a
// tile to memory are then dead and are removed later, except the writes of the
// last op that computes the tile.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_VECTORIZE_TILEVECTORIZER_H
#define HEDDLE_VECTORIZE_TILEVECTORIZER_H

#include "RegisterTiles.h"
#include "Vectorizer.h"

#include "mlir/IR/PatternMatch.h"

#include <map>

namespace heddle {

/// A point of the iteration space, or a vector of such points along the lanes.
struct TilePoint {
  llvm::SmallVector<mlir::OpFoldResult> at; // the index of each loop, a constant where possible
  int64_t valid = 1;   // the number of lanes that hold elements
  int64_t row = 0;     // the point's row in the register tile, along the `blocked` loop
  int64_t rows = 1;    // the number of rows of the register tile
};

/// The roles of the loops of an op.
struct TilePlan {
  llvm::SmallVector<Extent> extents; // the trip count of each loop
  llvm::SmallVector<bool> reduction; // whether each loop is a reduction
  int lane = -1;             // the loop along the lanes, or -1: the op works on scalars
  bool laneReduced = false;  // whether `lane` is a reduction: lanes hold partial results, which are joined at the end
  int64_t vectors = 1;       // vectors along the lanes in one register tile
  llvm::SmallVector<unsigned> outer, unrolled; // parallel loops that are emitted as loops, and that are unrolled
  llvm::SmallVector<unsigned> reduced;         // reduction loops, outermost first
  int blocked = -1;          // the parallel loop that is run in register tiles of `block` rows, or -1
  int64_t block = 1;         // the maximum number of rows of a register tile
  // the operand that is read in square tiles and transposed (`blocked` is its innermost loop), or -1
  int transposed = -1;
};

/// Vectorises linalg ops, one after another.
class TileVectorizer {
public:
  /// `registers` has the register tiles of the ops that were vectorised before.
  TileVectorizer(mlir::RewriterBase &rewriter, VectorBuilder &b, RegisterTiles &registers, const VectorOptions &options)
      : rewriter(rewriter), b(b), options(options), lanes(options.lanes), registers(registers) {}

  /// Replaces the op. Emits an error and fails if its body or shape cannot be vectorised.
  mlir::LogicalResult vectorize(mlir::linalg::LinalgOp op);

private:
  using Values = llvm::SmallVector<mlir::Value>;

  // TilePlan.cpp: the choice of the plan.
  TilePlan makePlan(llvm::ArrayRef<Extent> extents);
  void chooseLane(TilePlan &plan);
  void chooseSquareTiles(TilePlan &plan);
  void chooseBlocks(TilePlan &plan);

  // TileVectorizer.cpp: loops outside of reductions. `outs` are the current tensors of the op's outputs; the functions
  // with this parameter return the new tensors.
  Values emitOuter(unsigned depth, TilePoint point, Values outs);
  Values emitBlocked(TilePoint point, Values outs);
  Values emitLanes(TilePoint point, Values outs);
  Values emitBlock(TilePoint point, int64_t laneCount, Values outs);
  Values loop(const Extent &extent, int64_t step, Values inits,
              llvm::function_ref<Values(mlir::OpFoldResult, int64_t, Values)> body);
  llvm::SmallVector<LaneValue> evaluate(const TilePoint &point, llvm::ArrayRef<LaneValue> arguments);

  // TileReduction.cpp: loops over reduced dimensions. `carried` are the accumulators and the streamed outputs.
  bool foldsTogether(llvm::ArrayRef<TilePoint> points);
  Values emitReduction(llvm::ArrayRef<TilePoint> points, Values outs);
  mlir::Value writeTogether(unsigned output, mlir::Value tensor, llvm::ArrayRef<TilePoint> points, const Values &totals,
                            mlir::Value start);
  Values reduceOuter(unsigned depth, llvm::SmallVector<TilePoint> points, Values carried);
  Values reduceInner(llvm::SmallVector<TilePoint> points, Values carried);
  void reduceStep(llvm::ArrayRef<TilePoint> points, mlir::OpFoldResult inner, int64_t valid, unsigned set,
                  Values &carried);
  mlir::Value neutral(unsigned output, const TilePoint &point);

  // TileOperand.cpp: reads and writes of operands at a point.
  LaneValue read(mlir::OpOperand &operand, mlir::Value tensor, const TilePoint &point);
  mlir::Value write(mlir::OpOperand &init, mlir::Value tensor, const TilePoint &point, LaneValue value,
                    bool laneInside);
  LaneValue readTransposed(mlir::OpOperand &operand, mlir::Value tensor, const TilePoint &point);
  bool onlyPrefetched(mlir::OpOperand &input);
  void prefetch(mlir::OpOperand &input, const TilePoint &point);
  llvm::SmallVector<mlir::OpFoldResult> indices(mlir::AffineMap map, const TilePoint &point);
  bool usesHalves();
  int64_t widthFor(int64_t valid);

  mlir::RewriterBase &rewriter;
  VectorBuilder &b;
  VectorOptions options;
  int64_t lanes;            // the number of elements of a vector
  RegisterTiles &registers; // the results of earlier ops that are in registers

  // State of the op that is being rewritten.
  mlir::linalg::LinalgOp op;
  TilePlan plan;
  bool halves = false;   // whether vectors get half the width if at most half of their lanes are filled
  bool recording = false; // the tile is unrolled as a whole, so its results are recorded as register tiles
  llvm::SmallVector<RegisterTile> recorded; // the register tile of each output, if `recording`
  llvm::SmallVector<unsigned> accumulated, streamed; // outputs that a reduction accumulates, and all other outputs
  llvm::SmallDenseSet<unsigned> numbers; // outputs that are maxima or minima and start from constants other than NaN
  unsigned sets = 1;                                 // the number of independent accumulators for each point
  // the transposed square tiles that the current register tile reads, by operand number and first index along the lanes
  std::map<std::pair<unsigned, int64_t>, Values> transposedTiles;
};

} // namespace heddle

#endif // HEDDLE_VECTORIZE_TILEVECTORIZER_H
