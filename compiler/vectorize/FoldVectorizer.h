//===- FoldVectorizer.h - reductions along the lanes ------------*- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_FOLDVECTORIZER_H
#define HEDDLE_VECTORIZE_FOLDVECTORIZER_H

#include "Hints.h"
#include "LaneBody.h"
#include "Vectorizer.h"

namespace heddle {

/// The plan for vectorising an op that reduces the last dimension of its operands, such as dot products of rows or the
/// maximum or sum of a row.
struct FoldPlan {
  llvm::SmallVector<Extent> extents; // the trip count of each loop, set by FoldVectorizer::emit()
  unsigned lane = 0, reduced = 0;    // the loop along the result's last dimension, and the reduction loop
  llvm::SmallVector<unsigned> outer; // parallel loops other than `lane`
  int64_t width = 1;                 // lanes of an accumulator
  int64_t rows = 1, columns = 1;     // the size of a tile, along the last of `outer` and along `lane`
  llvm::SmallVector<mlir::Operation *> terms, combines; // ops of the body that do not, or do, depend on the accumulator
  mlir::Value term;                                     // the value that `combines` join with the accumulator
  mlir::TypedAttr first; // the scalar with which an accumulator begins; null: it begins with the first term
};

/// Returns the plan for an op with one result and one reduction loop. This loop must have a constant trip count, and it
/// must index the last dimension of at least one input and no other dimension of an input. The body must combine a
/// single term with the accumulator in an associative operation. Returns nullopt for any other op.
std::optional<FoldPlan> planFold(mlir::linalg::LinalgOp op, const VectorOptions &options);

/// Vectorises an op according to a FoldPlan. Accumulates as many results at a time as a vector has lanes, each result
/// in a vector of partial results. A tree of shuffles then folds these vectors into one, at two shuffles per result; a
/// separate horizontal sum of each vector would cost log2(lanes) shuffles per result. If an operand is prefetched
/// because it is read only once (notes::prefetchBytes), a tile has fewer columns but several rows, so that each vector
/// that is read from memory is used for all these rows.
class FoldVectorizer {
public:
  FoldVectorizer(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op, FoldPlan plan)
      : b(op.getLoc(), rewriter), op(op), plan(std::move(plan)) {}
  /// Emits the loops and returns the value that replaces the op's result.
  mlir::Value emit();

private:
  using Value = mlir::Value;
  using Values = VectorBuilder::Values;
  using Point = llvm::SmallVector<mlir::OpFoldResult>; // the index of each loop
  // Parameters of the functions below: `count` is the number of columns of a tile; `valid` is the number of lanes that
  // hold elements of the reduced dimension; `result` is the tensor with the results so far.
  Values overOuter(unsigned i, Point at, int64_t count, Values result);
  Value tile(const Point &at, int64_t rows, int64_t count, Value result);
  Point rowAt(Point at, int64_t row);
  /// Columns `first` to `first + count - 1` of a tile that has `all` columns.
  struct Columns {
    int64_t first, count, all;
  };
  Values parts(Point at, int64_t rows, Columns columns, bool unrolled);
  Values chunk(const Point &at, int64_t valid, llvm::ArrayRef<Value> accumulators, int64_t rows, Columns columns);
  LaneValue load(mlir::OpOperand &operand, const Point &at, int64_t valid, int64_t column, int64_t columns);
  Value combined(Value x, Value accumulator);
  Point indices(mlir::OpOperand &operand, const Point &at);

  VectorBuilder b;
  mlir::linalg::LinalgOp op;
  FoldPlan plan;
  ReadPrefetcher prefetcher;
  Value start; // the scalar of the linalg.fill that initialises the result; null: none
};

} // namespace heddle

#endif // HEDDLE_VECTORIZE_FOLDVECTORIZER_H
