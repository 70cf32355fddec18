//===- TileVectorizer.h - linalg on static tiles as vectors ---------------===//
//
// Rewrites one linalg op after another. The innermost dimension of the result runs
// along the lanes of 1-D vectors, a block of rows stays in registers, reductions are
// loops that carry the register block. Tiles small enough to be unrolled whole go
// from one op to the next in registers; only their last writer is left in the end.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_VECTORIZE_TILEVECTORIZER_H
#define HEDDLE_VECTORIZE_TILEVECTORIZER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"

#include <map>

namespace heddle {

/// What a scalar of the op's body is over the lanes of one vector.
struct LaneValue {
  enum Kind {
    Uniform, // the same scalar in every lane
    Iota,    // the scalar plus the number of the lane
    Vector
  };
  Kind kind = Uniform;
  mlir::Value value;
};

/// A place in the iteration space: one index per loop, static where it is known.
struct TilePoint {
  llvm::SmallVector<mlir::OpFoldResult> at;
  int64_t valid = 1;   // lanes that hold elements
  int64_t row = 0;     // number of the point along the blocked dimension
  int64_t rows = 1;    // and of how many
};

/// How the loops of one op are run.
struct TilePlan {
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<bool> reduction;
  int lane = -1;             // the loop along the lanes, or none: scalars
  bool laneReduced = false;  // it is a reduction: partial results in lanes, then one sum
  int64_t vectors = 1;       // vectors along the lanes in one register block
  llvm::SmallVector<unsigned> outer, unrolled, reduced;
  int blocked = -1;          // parallel loop run in blocks of `block` rows
  int64_t block = 1;
  int transposed = -1;       // operand read in squares and transposed (blocked is its innermost)
};

/// Values of one tile that are in registers, by the index of their first element.
struct RegisterTile {
  mlir::Block *block = nullptr;
  bool scalar = false;
  std::map<std::vector<int64_t>, mlir::Value> parts;
};

class TileVectorizer {
public:
  /// `registers`: vectors of `lanes` elements that the CPU's registers hold.
  TileVectorizer(mlir::RewriterBase &rewriter, int64_t lanes, int64_t registers)
      : b(rewriter), lanes(lanes), registerCount(registers) {}

  /// Replaces the op. Fails with an error where its body or shape cannot be vectorised.
  mlir::LogicalResult vectorize(mlir::linalg::LinalgOp op);

private:
  using Values = llvm::SmallVector<mlir::Value>;
  using Accumulators = llvm::SmallVector<LaneValue>; // [set][output][point]

  // TilePlan.cpp
  mlir::FailureOr<TilePlan> makePlan();
  void chooseLane(TilePlan &plan);
  void chooseBlocks(TilePlan &plan);

  // TileVectorizer.cpp
  Values emitOuter(unsigned depth, TilePoint point, Values outs);
  Values emitBlocked(TilePoint point, Values outs);
  Values emitLanes(TilePoint point, Values outs);
  Values emitBlock(TilePoint point, int64_t laneCount, Values outs);
  Values loop(int64_t from, int64_t to, int64_t step, Values inits,
              llvm::function_ref<Values(mlir::OpFoldResult, Values)> body);

  // TileReduction.cpp
  Values emitReduction(llvm::ArrayRef<TilePoint> points, Values outs);
  Values reduceOuter(unsigned depth, llvm::SmallVector<TilePoint> points, Values carried);
  Values reduceInner(llvm::SmallVector<TilePoint> points, Values carried);
  void reduceStep(llvm::ArrayRef<TilePoint> points, mlir::OpFoldResult inner, int64_t valid, unsigned set,
                  Values &carried);
  mlir::Operation *combiner(unsigned output);
  mlir::Value neutral(unsigned output, const TilePoint &point);

  // TileOperand.cpp
  LaneValue read(mlir::OpOperand &operand, mlir::Value tensor, const TilePoint &point);
  mlir::Value write(mlir::OpOperand &init, mlir::Value tensor, const TilePoint &point, LaneValue value,
                    bool laneInside);
  LaneValue readTransposed(mlir::OpOperand &operand, mlir::Value tensor, const TilePoint &point);
  bool onlyPrefetched(mlir::OpOperand &input);
  void prefetch(mlir::OpOperand &input, const TilePoint &point);
  void turn(Values &rows);
  llvm::SmallVector<mlir::OpFoldResult> indices(mlir::AffineMap map, const TilePoint &point);
  const RegisterTile *registerTile(mlir::Value tensor);
  mlir::Value fromRegisters(mlir::Value tensor, llvm::ArrayRef<mlir::OpFoldResult> at, bool vector);
  mlir::Value readVector(mlir::Value tensor, llvm::ArrayRef<mlir::OpFoldResult> at, int64_t valid);
  mlir::Value scalarAt(mlir::Value tensor, llvm::ArrayRef<mlir::OpFoldResult> at);
  mlir::OpFoldResult add(mlir::OpFoldResult index, int64_t offset);
  mlir::Value toValue(mlir::OpFoldResult index);
  mlir::Value laneMask(int64_t valid);
  bool usesHalves();
  int64_t widthFor(int64_t valid);
  mlir::Value inWidth(mlir::Value vector);
  mlir::VectorType vectorOf(mlir::Type element) { return mlir::VectorType::get({width}, element); }

  // TileBody.cpp
  llvm::SmallVector<LaneValue> evaluate(const TilePoint &point, llvm::ArrayRef<LaneValue> arguments);
  LaneValue evaluateOp(mlir::Operation &op, const TilePoint &point);
  LaneValue evaluateExtract(mlir::Operation &op, const TilePoint &point);
  LaneValue evaluateAffine(mlir::AffineExpr expr, llvm::ArrayRef<LaneValue> dims, llvm::ArrayRef<LaneValue> symbols);
  LaneValue fusedMultiplyAdd(mlir::Operation &op);
  LaneValue lookup(mlir::Value value);
  mlir::Value asVector(LaneValue value);

  mlir::RewriterBase &b;
  int64_t lanes, registerCount;
  llvm::DenseMap<mlir::Value, RegisterTile> registers;

  // Of the op that is being rewritten.
  mlir::linalg::LinalgOp op;
  mlir::Location loc = mlir::UnknownLoc::get(b.getContext());
  TilePlan plan;
  bool halves = false;   // its last vector may be half a one
  int64_t width = lanes; // elements of the vectors at the point that is emitted
  bool recording = false; // the whole tile is unrolled: its results are register tiles
  llvm::SmallVector<RegisterTile> recorded;
  llvm::SmallVector<unsigned> accumulated, streamed; // outputs; empty without reductions
  unsigned sets = 1;                                 // independent accumulators per point
  llvm::DenseMap<mlir::Value, LaneValue> bodyValues;
  std::map<std::pair<unsigned, int64_t>, Values> squares; // transposed reads of this block
  bool failed = false;
};

} // namespace heddle

#endif // HEDDLE_VECTORIZE_TILEVECTORIZER_H
