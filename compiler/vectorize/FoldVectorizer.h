//===- FoldVectorizer.h - reductions along the lanes ------------*- C++ -*-===//

#ifndef HEDDLE_VECTORIZE_FOLDVECTORIZER_H
#define HEDDLE_VECTORIZE_FOLDVECTORIZER_H

#include "Hints.h"
#include "LaneBody.h"
#include "Vectorizer.h"

namespace heddle {

/// How an op is folded that reduces its operands' last dimension: dot products of rows, a row's maximum or sum.
struct FoldPlan {
  llvm::SmallVector<Extent> extents; // once it is carried out
  unsigned lane = 0, reduced = 0;
  llvm::SmallVector<unsigned> outer;                    // parallel loops but the result's last
  int64_t width = 1;                                    // lanes of an accumulator
  int64_t rows = 1, columns = 1;                        // of a tile, along the last of `outer` and along `lane`
  llvm::SmallVector<mlir::Operation *> terms, combines; // the body's ops without and with the accumulator
  mlir::Value term;                                     // what the latter combine with it
};

/// The plan for an op of that form: one reduction, which is the last dimension of every input that has it; one result,
/// whose last dimension is not last in an input that is reduced. None for other ops.
std::optional<FoldPlan> planFold(mlir::linalg::LinalgOp op, const VectorOptions &options);

/// Folds an op. As many results as a vector has lanes are accumulated side by side, each in
/// a vector of partial results; a tree of shuffles then folds these vectors into one, which
/// costs two shuffles a result where folding each of them would cost as many as log2(lanes).
/// Where memory is read once (notes::ahead), fewer results of several rows, so that a vector read is for all of them.
class FoldVectorizer {
public:
  FoldVectorizer(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op, FoldPlan plan)
      : b(op.getLoc(), rewriter), op(op), plan(std::move(plan)) {}
  mlir::Value emit();

private:
  using Value = mlir::Value;
  using Values = VectorBuilder::Values;
  using Point = llvm::SmallVector<mlir::OpFoldResult>; // the index of each loop
  Values overOuter(unsigned i, Point at, int64_t count, Values result);
  Value tile(const Point &at, int64_t rows, int64_t count, Value result);
  Point rowAt(Point at, int64_t row);
  /// `count` columns from `first` on, of a tile of `all`.
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
  ReadsAhead ahead;
  Value start; // the result before, where a fill says it
};

} // namespace heddle

#endif // HEDDLE_VECTORIZE_FOLDVECTORIZER_H
