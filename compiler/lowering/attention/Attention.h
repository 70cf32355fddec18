//===- Attention.h - attention as loops over blocks -------------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_ATTENTION_H
#define HEDDLE_COMPILER_LOWERING_ATTENTION_H

#include "Heddle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

struct AttentionTiles {
  int64_t blockQ = 64;   // maximum queries of a task (rounded under causal order); they lie in vector lanes
  int64_t blockK = 64;   // maximum keys of a step
  bool stored = false;   // all keys in one step, whatever blockK is
  bool inRows = false;   // keys in lanes instead of queries: for few queries
  bool inParts = false;  // with inRows: keys are divided among tasks, whose results are joined
  bool whole = false;    // blocks cut by causal order, and keys masked at both ends, are computed as a whole
  int64_t lanes = 16;    // lanes of a vector; blocks of queries are padded to a multiple
  bool pairs = false;    // if attention rounds to bf16, pairs of bf16 are multiplied at a time
  int64_t pastCache = 1; // with inRows: the cache that keys and values of a state are prefetched into
};

/// Replaces `op` by an scf.forall over batch, heads and blocks of queries. In it, the softmax is computed online over
/// blocks of keys (with a running maximum and sum), or over all keys at once if its weights are a result or one block
/// holds all keys. Emits an error and fails if the op cannot be lowered.
mlir::LogicalResult lowerAttention(mlir::RewriterBase &rewriter, AttentionOp op, const AttentionTiles &tiles);

/// Returns whether the softmax weights of all keys are needed at once: they are a result, or a region changes them.
inline bool storesWeights(AttentionOp op) { return op.getWithWeights() || op.hasProbability(); }

/// Returns the predicate that compares the sum of a row's softmax weights with 0 and is true if the row yields zeros;
/// nullopt if no row does.
std::optional<mlir::arith::CmpFPredicate> sumOfZeros(EmptyRow emptyRow);

/// Returns why `op` cannot be lowered with the queries of narrow heads side by side in `lanes`, or "" if it can.
std::string refusesHeadLanes(AttentionOp op, int64_t lanes);

/// Replaces `op` by an scf.forall over batch and blocks of queries. It contains attention ops annotated to have a query
/// of one head in each of `lanes` lanes (HeadLanes.h). Emits an error and fails if refusesHeadLanes() gives a reason.
mlir::LogicalResult lowerAttentionHeads(mlir::RewriterBase &rewriter, AttentionOp op, int64_t lanes);

/// How linear attention is cut into tasks and blocks: vectors have `lanes` elements; a task has `columns` columns of
/// the values, which divide their number (0: all); a block has `rows` rows if there are more rows or only the call
/// knows their number (0: no blocks if the number is known).
struct LinearAttentionTiles {
  int64_t lanes = 1, columns = 0, rows = 0;
};

/// Replaces `op` by one scf.forall that sums f(key)^T value per head and then multiplies f(query) by the sum.
mlir::LogicalResult lowerLinearAttention(mlir::RewriterBase &rewriter, LinearAttentionOp op,
                                         const LinearAttentionTiles &tiles);

/// Replaces `op` by one scf.forall over batch, heads and blocks of `columns` columns of the values (which divide their
/// number). In it, a loop updates the state position by position.
mlir::LogicalResult lowerRecurrentAttention(mlir::RewriterBase &rewriter, RecurrentAttentionOp op, int64_t columns);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_ATTENTION_H
