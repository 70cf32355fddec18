//===- Attention.h - attention as loops over blocks -------------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_ATTENTION_H
#define HEDDLE_COMPILER_LOWERING_ATTENTION_H

#include "TileBuilder.h"

#include "Heddle.h"

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// How attention is cut into tasks and blocks of keys: the parameters of transform.heddle.lower_attention.
struct AttentionTiles {
  int64_t blockQ = 64;   // maximum number of queries of a task; adjusted if causal order or a window removes keys
  int64_t blockK = 64;   // maximum number of keys of a block
  bool stored = false;   // all keys are one block, for any blockK
  bool inRows = false;   // keys lie in lanes, for few queries; otherwise, queries lie in lanes
  bool inParts = false;  // with inRows: the keys of a head are divided among tasks, whose results are joined
  bool whole = false;    // do not cut blocks on the diagonal, and do not skip masked keys at both ends
  int64_t lanes = 16;    // lanes of a vector; blocks of queries are padded to whole vectors
  bool pairs = false;    // if the attention rounds to bf16, one instruction multiplies pairs of bf16
  int64_t pastCache = 1; // with inRows: the level of the cache to prefetch keys and values of a state into
};

/// Replaces `op` by an scf.forall over batch, heads and blocks of queries or, with `tiles.inParts`, by one over parts
/// of the keys and one that joins the parts. Each task computes the softmax online over blocks of keys (with a running
/// maximum and sum). It computes the softmax over all keys at once if `tiles.stored` is set, if all attention
/// probabilities are needed at once (storesWeights), or if one block holds all keys. Emits an error and fails if the op
/// cannot be lowered.
mlir::LogicalResult lowerAttention(mlir::RewriterBase &rewriter, AttentionOp op, const AttentionTiles &tiles);

/// Returns whether the attention probabilities of all keys are needed at once, because they are a result of the op or
/// its region `probability` changes them.
inline bool storesWeights(AttentionOp op) { return op.getWithWeights() || op.hasProbability(); }

/// Returns why `op` is not lowered with a query of one head in each of `lanes` lanes, because this is not supported or
/// takes longer than with queries in lanes. Returns "" if it is.
std::string refusesHeadLanes(AttentionOp op, int64_t lanes);

/// Replaces `op` by an scf.forall over batch and blocks of queries. The body is an attention op with an annotation, for
/// which expandHeadLanes (HeadLanes.h) later emits code with a query of one head in each of `lanes` lanes. Emits an
/// error and fails if refusesHeadLanes() returns a reason.
mlir::LogicalResult lowerAttentionHeads(mlir::RewriterBase &rewriter, AttentionOp op, int64_t lanes);

/// How linear attention is cut into tasks and blocks. Vectors have `lanes` elements. A task computes `columns` columns
/// of the values; `columns` must divide the number of columns, and 0 means all columns. Rows are processed in blocks of
/// `rows` rows if there are more than `rows` rows, or if their number is known only at run time. If `rows` is 0, a
/// fixed number of rows is one block, and other numbers are processed in blocks of a default size.
struct LinearAttentionTiles {
  int64_t lanes = 1, columns = 0, rows = 0;
};

/// Replaces `op` by one scf.forall. Each task computes the matrix f(key)^T value, where f is the feature map, and then
/// multiplies scale x f(query) by this matrix. Emits an error and fails if a shape is dynamic or empty or the element
/// type is not f32 or f64.
mlir::LogicalResult lowerLinearAttention(mlir::RewriterBase &rewriter, LinearAttentionOp op,
                                         const LinearAttentionTiles &tiles);

/// Replaces `op` by one scf.forall over batch, heads and blocks of `columns` columns of the values; `columns` must
/// divide the number of columns. In each task, a loop updates the recurrent state position by position. Emits an error
/// and fails if a shape is dynamic or empty or the element type is not f32 or f64.
mlir::LogicalResult lowerRecurrentAttention(mlir::RewriterBase &rewriter, RecurrentAttentionOp op, int64_t columns);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_ATTENTION_H
