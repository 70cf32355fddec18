//===- AttentionOperands.h - what an Attention node works with --*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_ATTENTIONOPERANDS_H
#define HEDDLE_IMPORT_ONNX_OPS_ATTENTIONOPERANDS_H

#include "OpTable.h"

#include "Heddle.h"

namespace heddle::onnx {

/// Operands of an Attention node with heads and positions apart, and what it does to scores.
struct AttentionOperands {
  mlir::Value query, key, value;                               // key and value: those of the past first
  Layout queryLayout = Layout::Bhsd, keyLayout = Layout::Bhsd; // of value as well
  Dim batch, queries, keys;
  int64_t queryHeads, keyHeads, headSize, valueSize;

  double scale;
  double softcap = 0;     // none
  mlir::Value bias, mask; // null, or broadcast to the scores
  mlir::Value keyLengths; // null, or [batch]
  bool causal = false;
  int64_t left = -1, right = -1; // extents of the window, none
  Dim past = 0;                  // keys before that of the first query, where there are no lengths
  EmptyRow emptyRow = EmptyRow::Zeros;
  SoftmaxPrecision precision = SoftmaxPrecision::F32;
  bool showWeights = false;

  Shape scoreShape() const { return {batch, queryHeads, queries, keys}; }
  /// Whether causal order or the window removes something.
  bool hasOrder() const { return causal || left >= 0 || right >= 0; }
};

/// Sizes from query, key and value, which must fit.
mlir::LogicalResult readSizes(NodeContext &n, AttentionOperands &operands);

/// The attribute `softmax_precision`: in at least this type the softmax is computed.
mlir::FailureOr<SoftmaxPrecision> readSoftmaxPrecision(NodeContext &n);

/// The operation; a window of `operands` is aligned as `causal` says, or at the last key.
AttentionOp attend(NodeContext &n, const AttentionOperands &operands, Causal causal);

/// [queries, keys]: what causal order and the window leave, where there are no lengths.
mlir::FailureOr<mlir::Value> visibleKeys(NodeContext &n, const AttentionOperands &operands);

/// Which of its stages the node's fourth output shows: raw (and scaled), soft-capped, with bias and all masks.
enum class ScoreStage { Raw, Capped, Masked };

/// The scores up to that stage, as general operations.
mlir::FailureOr<mlir::Value> emitScores(NodeContext &n, const AttentionOperands &operands, ScoreStage stage);

/// [batch, query heads, queries, value size]: the sums of values by these weights, as general operations; heads come
/// before positions.
mlir::Value weighValues(Emitter &b, const AttentionOperands &operands, mlir::Value weights);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_ATTENTIONOPERANDS_H
