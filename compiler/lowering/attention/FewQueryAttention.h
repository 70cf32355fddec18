//===- FewQueryAttention.h - attention with few queries ---------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_FEWQUERYATTENTION_H
#define HEDDLE_COMPILER_LOWERING_FEWQUERYATTENTION_H

#include "AttentionTasks.h"

namespace heddle {

/// Emits attention with few queries, with keys in vector lanes: scores and weights are [rows][keys], and the output is
/// [rows][Dv]. The rows are the queries of one head, or of all heads that share a key head; keys and values are then
/// read once for all these heads. A score is a dot product along the head, so one query does not cost as much as a
/// vector of queries.
///
/// With few queries, there are few tasks, however many keys there are. The plan may therefore divide the keys into
/// parts. A task for each part computes the maximum, sum and output of its own softmax, and these results are joined in
/// the order of the parts. The parts depend on the maximum number of keys, not on the number of threads, so a result
/// has the same bits with any number of threads. Source: flash-decoding (Dao, Haziza, Massa, Sizov, 2023).
class FewQueryAttention : public AttentionTasks {
public:
  FewQueryAttention(mlir::RewriterBase &rewriter, AttentionOp op, const AttentionPlan &plan,
                    const AttentionTiles &tiles)
      : AttentionTasks(rewriter, op, plan, tiles) {}

protected:
  llvm::SmallVector<Value> emitAll(llvm::SmallVector<Value> results) override;
  Value emitQuery(const TaskQueries &queries) override;
  SoftmaxState emitKeys(const AttentionTask &task, const SoftmaxState &state) override;
  Value emitStored(const TaskQueries &queries, Value tile, Layout layout, bool inRows, Value target) override;
  llvm::SmallVector<unsigned> getResultDims(const HeadSlice &slice) const override;

private:
  llvm::SmallVector<Value> emitParts(const QueryBlocks &blocks, Value count);
  Value emitJoined(const QueryBlocks &blocks, Value count, mlir::ValueRange parts, Value result);
  SoftmaxState emitInVectors(const AttentionTask &task, Value firstKey, const Extent &count, const SoftmaxState &state);
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_FEWQUERYATTENTION_H
