//===- Attention.h - attention as loops over query and key blocks -*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_ATTENTION_H
#define HEDDLE_COMPILER_LOWERING_ATTENTION_H

#include "Heddle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

struct AttentionTiles {
  int64_t blockQ = 64;   // queries of one task, at most (causal: rounded): they lie in vector lanes
  int64_t blockK = 64;   // keys of one step, at most
  bool stored = false;   // all keys in one step, whatever blockK says
  bool inRows = false;   // keys in lanes instead of queries: for few queries
  bool inParts = false;  // with inRows: keys are cut among tasks, whose results are joined
  bool whole = false;    // blocks that causal order cuts, and keys that a mask removes at the ends, are computed
  int64_t lanes = 16;    // of a vector: query blocks are padded to multiples of this
  bool pairs = false;    // where it rounds to bf16, two of them are multiplied at a time
  int64_t pastCache = 1; // with inRows: the cache that keys and values of a state are asked for into
};

/// Replaces `op` by scf.forall over batch, heads and query blocks; in it the
/// softmax runs online over key blocks (running maximum and sum), or over all
/// keys at once where the softmax weights are a result or one block holds them.
mlir::LogicalResult lowerAttention(mlir::RewriterBase &rewriter, AttentionOp op, const AttentionTiles &tiles);

/// Whether weights of all keys are needed at once: they are a result, or a region changes them.
inline bool storesWeights(AttentionOp op) { return op.getWithWeights() || op.hasProbability(); }

/// How the sum of a row's softmax weights compares with 0 if the row yields zeros; nothing if no row does.
std::optional<mlir::arith::CmpFPredicate> sumOfZeros(EmptyRow emptyRow);

/// Why `op` is not for lanes that are the queries of narrow heads side by side; empty if it is.
std::string refusesHeadLanes(AttentionOp op, int64_t lanes);

/// Replaces `op` by scf.forall over batch and query blocks, with attention in it that has a query of a head in each
/// of `lanes` (HeadLanes.h).
mlir::LogicalResult lowerAttentionHeads(mlir::RewriterBase &rewriter, AttentionOp op, int64_t lanes);

/// How linear attention is cut: a vector has `lanes` elements; a task has `columns` of the values, which divide theirs
/// (0: all), and takes so many `rows` at once where there are more, or where only the call knows how many there are
/// (0: all that are known).
struct LinearAttentionTiles {
  int64_t lanes = 1, columns = 0, rows = 0;
};

/// Replaces `op` by one scf.forall that sums f(key)^T value per head and then applies f(query) to it.
mlir::LogicalResult lowerLinearAttention(mlir::RewriterBase &rewriter, LinearAttentionOp op,
                                         const LinearAttentionTiles &tiles);

/// Replaces `op` by one scf.forall over batch, heads and blocks of `columns` of the values (which divide theirs), in
/// which the state goes from position to position.
mlir::LogicalResult lowerRecurrentAttention(mlir::RewriterBase &rewriter, RecurrentAttentionOp op, int64_t columns);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_ATTENTION_H
