//===- AttentionScores.cpp - scores as outputs of Attention ---------------===//

#include "AttentionOperands.h"
#include "SizedOperands.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// Emits the mask for the causal rule and the window if its `shape` [queries, keys] depends on sizes. The mask is a
/// function of the positions of query and key.
static Value visibleInRanges(Emitter &b, const AttentionOperands &operands, ArrayRef<Dim> shape) {
  SizeExpression distance = SizeExpression::place(1) - (SizeExpression::place(0) + operands.past.asExpression());
  SizeExpression visible = 1;
  auto require = [&](const SizeExpression &minimum, const SizeExpression &maximum) {
    visible = visible * (SizeExpression(1) - SizeExpression::less(maximum, minimum));
  };
  if (operands.causal)
    require(distance, 0);
  if (operands.left >= 0)
    require(-distance, operands.left);
  if (operands.right >= 0)
    require(distance, operands.right);
  return SizedTensor::ofFormula(shape, b.getI1Type(), visible).emit(b);
}

FailureOr<Value> heddle::onnx::visibleKeys(NodeContext &n, const AttentionOperands &operands) {
  Shape shape{operands.queries, operands.keys};
  std::optional<Numbers> extents = fixedNumbers(Shape{operands.queries, operands.keys, operands.past});
  if (!extents)
    return visibleInRanges(n.b, operands, shape);
  if (!canFold(shape))
    return n.error() << "the mask for a causal order or a window is too large: its shape is " << shapeText(shape);
  std::vector<char> visible;
  forEachIndex(ArrayRef(*extents).take_front(2), [&](ArrayRef<int64_t> at) {
    int64_t distance = at[1] - (at[0] + (*extents)[2]); // the distance from the query's own position to the key
    visible.push_back((!operands.causal || distance <= 0) && (operands.left < 0 || -distance <= operands.left) &&
                      (operands.right < 0 || distance <= operands.right));
  });
  return n.b.constant(fromBytes(typeOf(shape, n.b.getI1Type()), visible));
}

/// Emits the mask [batch, 1, queries or 1, keys] for key lengths, the causal rule and the window. The last query is
/// aligned with the last valid key.
static Value visibleValidKeys(Emitter &b, const AttentionOperands &operands) {
  auto compare = [&](arith::CmpIPredicate predicate, Value left, Value right) {
    auto [a, c] = b.together(left, right);
    return b.elementwise<arith::CmpIOp>(predicate, a, c);
  };
  auto number = [&](const Dim &value) { return b.integers({}, value); };
  Value key = positions(b, {operands.keys}, 0);
  Value valid = b.minimum(b.maximum(operands.keyLengths, number(0)), number(operands.keys));
  valid = b.reshape(valid, {operands.batch, 1, 1, 1});
  Value visible = compare(arith::CmpIPredicate::slt, key, valid);
  auto keep = [&](arith::CmpIPredicate predicate, Value limit) {
    auto [a, c] = b.together(visible, compare(predicate, key, limit));
    visible = b.elementwise<arith::AndIOp>(a, c);
  };
  Value own = b.add(positions(b, {operands.queries, 1}, 0), b.sub(valid, number(operands.queries)));
  if (operands.causal)
    keep(arith::CmpIPredicate::sle, own);
  if (operands.left >= 0)
    keep(arith::CmpIPredicate::sge, b.sub(own, number(operands.left)));
  if (operands.right >= 0)
    keep(arith::CmpIPredicate::sle, b.add(own, number(operands.right)));
  return visible;
}

/// Returns the scores of all heads before the scale. The queries of all heads that share keys are rows of one matrix
/// product.
static Value rawScores(Emitter &b, const AttentionOperands &operands) {
  constexpr int64_t swap[] = {0, 2, 1, 3};
  Value query = operands.queryLayout == Layout::Bhsd ? operands.query : b.transpose(operands.query, swap);
  Value key = operands.keyLayout == Layout::Bhsd ? operands.key : b.transpose(operands.key, swap);
  Dim products = operands.batch * operands.keyHeads, sharing = operands.queryHeads / operands.keyHeads;
  query = b.reshape(query, {products, sharing * operands.queries, operands.headSize});
  key = b.transpose(b.reshape(key, {products, operands.keys, operands.headSize}), {0, 2, 1});
  return b.reshape(b.matmul(query, key), operands.scoreShape());
}

FailureOr<Value> heddle::onnx::emitScores(NodeContext &n, const AttentionOperands &operands, ScoreStage stage) {
  Emitter &b = n.b;
  Value scores = rawScores(b, operands);
  scores = b.mul(scores, b.splatLike(scores, operands.scale));
  if (stage == ScoreStage::Raw)
    return scores;
  if (operands.softcap > 0) {
    Value cap = b.splatLike(scores, operands.softcap);
    scores = b.mul(b.elementwise<math::TanhOp>(b.div(scores, cap)), cap);
  }
  if (stage == ScoreStage::Capped)
    return scores;
  if (operands.bias)
    scores = b.add(scores, operands.bias);
  SmallVector<Value> masks;
  if (operands.mask)
    masks.push_back(operands.mask);
  if (operands.keyLengths) {
    masks.push_back(visibleValidKeys(b, operands));
  } else if (operands.hasOrder()) {
    FailureOr<Value> visible = visibleKeys(n, operands);
    if (failed(visible))
      return failure();
    masks.push_back(*visible);
  }
  for (Value mask : masks)
    scores = b.select(mask, scores, b.splatLike(scores, -INFINITY));
  return scores;
}

Value heddle::onnx::weighValues(Emitter &b, const AttentionOperands &operands, Value weights) {
  Dim products = operands.batch * operands.keyHeads, sharing = operands.queryHeads / operands.keyHeads;
  weights = b.reshape(weights, {products, sharing * operands.queries, operands.keys});
  Value value = b.reshape(operands.value, {products, operands.keys, operands.valueSize});
  return b.reshape(b.matmul(weights, value),
                   {operands.batch, operands.queryHeads, operands.queries, operands.valueSize});
}
