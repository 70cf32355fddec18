//===- AttentionOperands.h - operands of an Attention node ------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_ATTENTIONOPERANDS_H
#define HEDDLE_IMPORT_ONNX_OPS_ATTENTIONOPERANDS_H

#include "OpTable.h"

#include "Heddle.h"

namespace heddle::onnx {

/// The options of an Attention node, and its operands with separate dimensions for heads and positions.
struct AttentionOperands {
  mlir::Value query, key, value;                               // key and value include the past
  Layout queryLayout = Layout::Bhsd, keyLayout = Layout::Bhsd; // keyLayout is also the layout of value
  Dim batch, queries, keys; // the number of sequences, and the numbers of queries and keys of a sequence
  int64_t queryHeads, keyHeads, headSize, valueSize;

  double scale;
  double softcap = 0;     // 0 if there is no soft cap
  mlir::Value bias, mask; // bias and mask, in a shape that can be broadcast to the scores; null if absent
  mlir::Value keyLengths; // [batch], the number of valid keys of each sequence; null if all keys are valid
  bool causal = false;
  int64_t left = -1, right = -1; // the numbers of visible keys before and after a query; -1: all
  // If `keyLengths` is null, the number of keys before the position of the first query.
  Dim past = 0;
  EmptyRow emptyRow = EmptyRow::Zeros;
  SoftmaxPrecision precision = SoftmaxPrecision::F32;
  bool showWeights = false; // whether heddle.attention also returns the attention probabilities

  Shape scoreShape() const { return {batch, queryHeads, queries, keys}; }
  /// Whether a causal mask or a window excludes keys.
  bool hasOrder() const { return causal || left >= 0 || right >= 0; }
};

/// Sets the sizes from the shapes of query, key and value. Emits an error if these shapes are inconsistent.
mlir::LogicalResult readSizes(NodeContext &n, AttentionOperands &operands);

/// Returns the precision with which the softmax is computed: F64 if the attribute `softmax_precision`, the number of an
/// element type, selects f64, otherwise F32. Emits an error if the type is not a supported float type.
mlir::FailureOr<SoftmaxPrecision> readSoftmaxPrecision(NodeContext &n);

/// Emits a heddle.attention. The causal mask and the window have the same alignment: with Causal::UpperLeft, the first
/// query is at the position of the first key; with LowerRight and None, the last query is at the position of the last
/// key, or of the last valid key if there are `keyLengths`.
AttentionOp attend(NodeContext &n, const AttentionOperands &operands, Causal causal);

/// Emits a mask [queries, keys] that is true where the causal mask and the window allow a query to attend to a key.
/// `keyLengths` must be null.
mlir::FailureOr<mlir::Value> visibleKeys(NodeContext &n, const AttentionOperands &operands);

/// The stage of the score computation whose result is the fourth output of the node: the scaled scores (Raw), the
/// soft-capped scores (Capped), or the scores with bias and all masks (Masked).
enum class ScoreStage { Raw, Capped, Masked };

/// Emits operations that compute the scores up to `stage`: [batch, query heads, queries, keys].
mlir::FailureOr<mlir::Value> emitScores(NodeContext &n, const AttentionOperands &operands, ScoreStage stage);

/// Emits the product of the attention probabilities `weights`, [batch, query heads, queries, keys], with the values.
/// The result is [batch, query heads, queries, value size]. The layout of the values must be Bhsd.
mlir::Value weighValues(Emitter &b, const AttentionOperands &operands, mlir::Value weights);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_ATTENTIONOPERANDS_H
