//===- Masks.cpp - masks of ONNX Runtime's attention ----------------------===//

#include "Masks.h"

#include "../SizedOperands.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// Returns the bias with the effect of a mask (see `readMaskAndBias` in Masks.h), in a shape that broadcasts to the
/// scores.
static FailureOr<Value> addedBy(NodeContext &n, const AttentionOperands &operands, Value mask) {
  Emitter &b = n.b;
  double filter = n.floatAttr("mask_filter_value", -10000);
  if (failed(n.requireInteger(mask)))
    return failure();
  Shape shape(shapeOf(mask));
  Value active;
  if (shape == Shape{operands.batch}) {
    Value key = positions(b, {operands.keys}, 0);
    Value lengths = b.reshape(b.castTo(mask, b.getI64Type()), {operands.batch, 1, 1, 1});
    auto [left, right] = b.together(lengths, key); // `key` may be constant; MLIR expects it on the right
    active = b.elementwise<arith::CmpIOp>(arith::CmpIPredicate::sgt, left, right);
  } else if (shape == Shape{operands.batch, operands.keys} ||
             shape == Shape{operands.batch, operands.queries, operands.keys}) {
    shape.insert(shape.begin() + 1, 4 - shape.size(), 1);
    mask = b.reshape(mask, shape);
    active = b.elementwise<arith::CmpIOp>(arith::CmpIPredicate::sgt, mask, b.splatLike(mask, 0));
  } else {
    return n.error() << "a mask of " << typeText(mask) << " for " << operands.batch.text() << " x "
                     << operands.queries.text() << " queries and " << operands.keys.text() << " keys is not supported";
  }
  Type element = elementOf(operands.query);
  return b.select(active, b.splat({}, element, 0), b.splat({}, element, filter));
}

LogicalResult heddle::onnx::readMaskAndBias(NodeContext &n, AttentionOperands &operands, Value mask, Value bias) {
  if (bias) {
    Shape scores = operands.scoreShape();
    if (failed(n.requireSameElements({operands.query, bias})))
      return failure();
    if (broadcastShapes(scores, shapeOf(bias)) != scores)
      return n.error() << "an attention_bias of " << typeText(bias) << " does not broadcast to " << shapeText(scores);
    operands.bias = bias;
  }
  if (!mask) {
    n.floatAttr("mask_filter_value", -10000); // an attribute that is never read is an error
    return success();
  }
  FailureOr<Value> added = addedBy(n, operands, mask);
  if (failed(added))
    return failure();
  operands.bias = bias ? n.b.add(bias, *added) : *added;
  return success();
}

LogicalResult heddle::onnx::yieldAttention(NodeContext &n, AttentionOperands &operands) {
  double scale = n.floatAttr("scale", 0), standard = 1 / std::sqrt(double(operands.headSize));
  operands.scale = scale == 0 ? standard : scale;
  if (!std::isfinite(operands.scale))
    return n.error() << "scale is " << scale << ", expected a finite number";
  // In ONNX Runtime, the first query is at the position after the past. In heddle.attention, the last query is aligned
  // with the last key. This is the same if the keys are those of the past and one for each query.
  Causal causal = Causal::None;
  if (n.intAttr("unidirectional", 0) != 0) {
    if (operands.past + operands.queries != operands.keys)
      return n.error() << "unidirectional with " << operands.queries.text() << " queries and " << operands.keys.text()
                       << " keys is not supported";
    causal = Causal::LowerRight;
  }
  Value result = attend(n, operands, causal).getResult();
  if (operands.queryLayout == Layout::Bhsd)
    result = n.b.transpose(result, {0, 2, 1, 3});
  return n.yield(n.b.reshape(result, {operands.batch, operands.queries, operands.queryHeads * operands.valueSize}));
}
