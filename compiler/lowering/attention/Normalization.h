//===- Normalization.h - division by the sums of weights --------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_NORMALIZATION_H
#define HEDDLE_COMPILER_LOWERING_NORMALIZATION_H

#include "ActiveQueries.h"
#include "AttentionScore.h"

namespace heddle {

/// Divides the results of queries by the sums of their weights. Queries that see no key and inactive queries may yield
/// zeros instead.
class Normalization {
public:
  Normalization(TileBuilder &b, AttentionOp op, const AttentionScore &score, const ActiveQueries &active)
      : b(b), op(op), score(score), active(active) {}

  /// Emits tile / sum. For queries that yield zeros, the elements are `none` (0.0 or -0.0). `inRows`: each row of the
  /// tile belongs to a query; otherwise each column does.
  mlir::Value emit(const TaskQueries &queries, mlir::Value tile, mlir::Value sum, bool inRows, double none = 0.0);

private:
  TileBuilder &b;
  AttentionOp op;
  const AttentionScore &score;
  const ActiveQueries &active;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_NORMALIZATION_H
