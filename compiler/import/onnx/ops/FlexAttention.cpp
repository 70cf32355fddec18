//===- FlexAttention.cpp - the ONNX operator FlexAttention ----------------===//
//
// A node may contain bodies: graphs in its attributes score_mod and prob_mod, which change the scores and the
// probabilities. Without bodies, the operator becomes one heddle.attention. With bodies, it becomes separate operations
// for each step of attention, and the bodies are inlined. The passes that recognise layers then replace these
// operations by one heddle.attention, whose attributes and regions express the bodies.
//
//===----------------------------------------------------------------------===//

#include "AttentionOperands.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

namespace {

/// Returns the element type of the softmax, which is also the type of the bodies' arguments and results.
FailureOr<Type> readPrecision(NodeContext &n) {
  Type element = elementOf(n.in(0)), single = n.b.getF32Type();
  if (!n.has("softmax_precision"))
    return element.isF64() ? element : single;
  FailureOr<SoftmaxPrecision> precision = readSoftmaxPrecision(n);
  if (failed(precision))
    return failure();
  return *precision == SoftmaxPrecision::F64 ? Type(n.b.getF64Type()) : single;
}

/// Inlines the body in attribute `name` with the argument `values`, and returns its result. Returns `values` if there
/// is no such attribute.
FailureOr<Value> apply(NodeContext &n, StringRef name, Value values) {
  FailureOr<const Graph *> graph = n.graphAttr(name, 1, 1);
  if (failed(graph) || !*graph)
    return failed(graph) ? FailureOr<Value>(failure()) : values;
  FailureOr<SmallVector<Value>> results = n.model.inlineGraph(**graph, values);
  if (failed(results))
    return failure();
  Value result = results->front();
  if (result.getType() != values.getType())
    return n.error() << "expected " << name << " to yield " << typeText(values) << ", found " << typeText(result);
  return result;
}

LogicalResult convertFlexAttention(NodeContext &n) {
  AttentionOperands operands;
  for (size_t i = 0; i < 3; ++i)
    if (rankOf(n.in(i)) != 4)
      return n.error() << "expected query, key and value of 4 dimensions, found " << typeText(n.in(i));
  operands.query = n.in(0), operands.key = n.in(1), operands.value = n.in(2);
  if (failed(n.requireFloat(n.in(0))) || failed(n.requireSameElements(n.operands())) || failed(readSizes(n, operands)))
    return failure();
  operands.scale = n.floatAttr("scale", 1 / std::sqrt(double(operands.headSize)));
  if (!(operands.scale >= 0) || !std::isfinite(operands.scale))
    return n.error() << "scale is " << operands.scale << ", expected a finite number of at least 0";
  FailureOr<Type> type = readPrecision(n);
  if (failed(type))
    return failure();
  if (!n.has("score_mod") && !n.has("prob_mod")) {
    operands.emptyRow = EmptyRow::Nan;
    operands.precision = type->isF64() ? SoftmaxPrecision::F64 : SoftmaxPrecision::F32;
    return n.yield(attend(n, operands, Causal::None).getResult());
  }
  FailureOr<Value> scores = emitScores(n, operands, ScoreStage::Raw);
  if (succeeded(scores))
    scores = apply(n, "score_mod", n.b.castTo(*scores, *type));
  if (failed(scores))
    return failure();
  FailureOr<Value> weights = apply(n, "prob_mod", n.b.softmax(*scores, 3));
  if (failed(weights))
    return failure();
  return n.yield(weighValues(n.b, operands, n.b.castTo(*weights, elementOf(n.in(0)))));
}

} // namespace

void heddle::onnx::addFlexAttentionOps(OpTable &table) { table["FlexAttention"] = {convertFlexAttention, 3, 3, 1, 1}; }
