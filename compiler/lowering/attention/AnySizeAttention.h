//===- AnySizeAttention.h - numbers known at run time -----------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_ANYSIZEATTENTION_H
#define HEDDLE_COMPILER_LOWERING_ANYSIZEATTENTION_H

#include "PrefillAttention.h"

namespace heddle {

/// Emits attention with queries in vector lanes, if the number of queries, of keys, or of filled rows of a state is
/// known only at run time.
///
/// A block of queries consists of whole vectors. The last block has only as many vectors as it needs, and its lanes
/// beyond the queries repeat the last query (QueryLanes.h). The last block of keys ends with the last key.
class AnySizeAttention : public PrefillAttention {
public:
  AnySizeAttention(mlir::RewriterBase &rewriter, AttentionOp op, const AttentionPlan &plan, const AttentionTiles &tiles)
      : PrefillAttention(rewriter, op, plan, tiles) {}

protected:
  llvm::SmallVector<Value> emitBlock(AttentionTask &task, Place place) override;
  Value emitQuery(const TaskQueries &queries) override;
  SoftmaxState emitKeys(const AttentionTask &task, const SoftmaxState &state) override;
  Value emitStored(const TaskQueries &queries, Value tile, Layout layout, bool inRows, Value target) override;
  llvm::SmallVector<Value> emitResults(const AttentionTask &task, const SoftmaxState &state, Place place) override;

private:
  llvm::SmallVector<Value> emitWidths(AttentionTask &task, mlir::ValueRange places, int64_t lanes);
  Value emitStoredWeights(const AttentionTask &task, const SoftmaxState &state, Value target);
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_ANYSIZEATTENTION_H
