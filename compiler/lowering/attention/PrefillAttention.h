//===- PrefillAttention.h - attention with queries in lanes -----*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_PREFILLATTENTION_H
#define HEDDLE_COMPILER_LOWERING_PREFILLATTENTION_H

#include "AttentionTasks.h"

namespace heddle {

/// Emits attention with queries in vector lanes, for fixed numbers of queries and keys: transposed queries [D][lanes],
/// scores and weights [keys][lanes], running maximum and sum [lanes], output [Dv][lanes]. A row of keys or values is
/// read as scalars, so it needs no packing and no padding, and the softmax has no horizontal operation. If there are
/// few keys, transposing the output would cost as much as computing it; the output is then [rows][Dv], and the weights
/// are the scalars.
class PrefillAttention : public AttentionTasks {
public:
  PrefillAttention(mlir::RewriterBase &rewriter, AttentionOp op, const AttentionPlan &plan, const AttentionTiles &tiles)
      : AttentionTasks(rewriter, op, plan, tiles) {}

protected:
  Value emitQuery(const TaskQueries &queries) override;
  SoftmaxState emitKeys(const AttentionTask &task, const SoftmaxState &state) override;
  Value emitStored(const TaskQueries &queries, Value tile, Layout layout, bool inRows, Value target) override;

private:
  SoftmaxState emitUpToDiagonal(const AttentionTask &task, const SoftmaxState &state);
  SoftmaxState emitOnDiagonal(const AttentionTask &task, Value firstKey, const SoftmaxState &state);
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_PREFILLATTENTION_H
