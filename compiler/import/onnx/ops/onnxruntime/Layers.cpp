//===- Layers.cpp - activations, norms and products of ONNX Runtime -------===//

#include "../Activation.h"
#include "../Gather.h"
#include "../MatMul.h"
#include "../SizedOperands.h"
#include "OpTable.h"

#include "Heddle.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

/// Converts BiasGelu, FastGelu and Gelu: adds the bias, if there is one, and applies gelu.
template <bool byTanh> LogicalResult convertBiasGelu(NodeContext &n) {
  Value x = n.in(0);
  if (failed(n.requireFloat(x)) || failed(n.requireSameElements(n.in(1) ? ArrayRef<Value>{x, n.in(1)} : ArrayRef(x))))
    return failure();
  if (Value bias = n.in(1)) {
    if (rankOf(x) == 0 || shapeOf(bias) != Shape{shapeOf(x).back()})
      return n.error() << "a bias of " << typeText(bias) << " does not fit " << typeText(x);
    x = n.b.add(x, bias);
  }
  return n.yield(gelu(n.b, x, byTanh));
}

LogicalResult convertQuickGelu(NodeContext &n) {
  if (failed(n.requireFloat(n.in(0))))
    return failure();
  return n.yield(swish(n, n.in(0), 1.702f));
}

/// Converts FusedMatMul: alpha * a' * b', where a' and b' are a and b with the last two dimensions transposed if the
/// attributes transA and transB are set.
LogicalResult convertFusedMatMul(NodeContext &n) {
  Value operands[] = {n.in(0), n.in(1)};
  double alpha = n.floatAttr("alpha", 1);
  static constexpr StringRef names[] = {"A", "B"};
  for (auto [operand, name] : llvm::zip_equal(operands, names)) {
    if (failed(n.requireFloat(operand)))
      return failure();
    if (n.intAttr(("transBatch" + name).str(), 0) != 0)
      return n.error() << "transBatch" << name << " is not supported";
    if (n.intAttr(("trans" + name).str(), 0) == 0 || rankOf(operand) < 2)
      continue;
    Numbers order = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(operand)));
    std::swap(order[order.size() - 2], order.back());
    operand = n.b.transpose(operand, order);
  }
  FailureOr<Value> product = matmul(n, operands[0], operands[1]);
  if (failed(product))
    return failure();
  return n.yield(alpha == 1 ? *product : n.b.mul(*product, n.b.splatLike(*product, alpha)));
}

/// Emits an error if outputs 1 or 2 are used. These outputs are statistics for training.
LogicalResult refuseStatistics(NodeContext &n) {
  if (n.wants(1) || n.wants(2))
    return n.error() << "outputs 1 and 2, mean and inverse standard deviation, are not supported";
  return success();
}

/// Returns operand `i` as a vector with the length of the last dimension of `x`; leading dimensions of 1 are dropped.
/// Returns null if the operand is absent.
FailureOr<Value> vectorFor(NodeContext &n, Value x, size_t i) {
  Value vector = n.in(i);
  if (!vector)
    return vector;
  Shape shape(shapeOf(vector));
  while (shape.size() > 1 && shape.front() == 1)
    shape.erase(shape.begin());
  Shape width{shapeOf(x).back()};
  if (shape != width)
    return n.error() << "input " << i << " must be a vector of " << width.front().text() << " elements, found "
                     << typeText(vector);
  if (failed(n.requireSameElements({x, vector})))
    return failure();
  return n.b.reshape(vector, width);
}

/// Returns the sum that is normalised, input + skip + bias, and yields it as output 3. `biasPlace` is the index of the
/// operand with the bias.
FailureOr<Value> skipSum(NodeContext &n, size_t biasPlace) {
  Value x = n.in(0), skip = n.in(1);
  if (failed(n.requireFloat(x)) || failed(n.requireSameElements({x, skip})) || failed(refuseStatistics(n)))
    return failure();
  Shape shape(shapeOf(x));
  if (shape.empty() || broadcastShapes(shape, shapeOf(skip)) != shape)
    return n.error() << "a skip of " << typeText(skip) << " does not broadcast to " << typeText(x);
  FailureOr<Value> vector = vectorFor(n, x, biasPlace);
  if (failed(vector))
    return failure();
  Value bias = *vector;
  if (bias)
    x = n.b.add(x, bias);
  Value sum = n.b.add(x, skip);
  if (n.wants(3))
    (void)n.yield(3, sum);
  return sum;
}

LogicalResult convertSkipLayerNorm(NodeContext &n) {
  double epsilon = n.floatAttr("epsilon", 1e-12f);
  FailureOr<Value> sum = skipSum(n, 4);
  FailureOr<Value> gamma = failed(sum) ? sum : vectorFor(n, *sum, 2);
  FailureOr<Value> beta = failed(gamma) ? gamma : vectorFor(n, *sum, 3);
  if (failed(beta))
    return failure();
  return n.yield(
      heddle::LayerNormOp::create(n.b, sum->getType(), *sum, *gamma, *beta, Value(), n.b.getF64FloatAttr(epsilon)));
}

LogicalResult convertSkipRmsNorm(NodeContext &n) {
  double epsilon = n.floatAttr("epsilon", 1e-12f);
  FailureOr<Value> sum = skipSum(n, 3);
  FailureOr<Value> gamma = failed(sum) ? sum : vectorFor(n, *sum, 2);
  if (failed(gamma))
    return failure();
  return n.yield(heddle::RmsNormOp::create(n.b, sum->getType(), *sum, *gamma, Value(), n.b.getF64FloatAttr(epsilon)));
}

/// Converts EmbedLayerNormalization, which normalises the sum of the embeddings of words, positions and segments.
LogicalResult convertEmbedLayerNorm(NodeContext &n) {
  Value ids = n.in(0), segments = n.in(1), words = n.in(2), places = n.in(3), kinds = n.in(4), positions = n.in(8);
  double epsilon = n.floatAttr("epsilon", 1e-12f);
  n.intAttr("mask_index_type", 0); // used only for shape inference
  if (!words || !places || !n.in(5) || !n.in(6) || rankOf(ids) != 2 || rankOf(words) != 2 || rankOf(places) != 2)
    return n.error() << "expected ids of two dimensions, tables of words and positions, gamma and beta";
  if (!segments != !kinds)
    return n.error() << "expected segment_ids and segment_embedding together";
  Dim length = shapeOf(ids)[1];
  FailureOr<Value> sum = gather(n, words, ids, 0);
  if (failed(sum))
    return failure();
  auto addRows = [&](Value table, Value indices) -> LogicalResult {
    FailureOr<Value> rows = gather(n, table, indices, 0);
    if (failed(rows) || failed(n.requireSameElements({*sum, *rows})))
      return failure();
    if (broadcastShapes(shapeOf(*sum), shapeOf(*rows)) != shapeOf(*sum))
      return n.error() << "embeddings of " << typeText(*rows) << " do not fit those of words, " << typeText(*sum);
    sum = n.b.add(*sum, *rows);
    return success();
  };
  if (!positions) {
    if (length > shapeOf(places)[0])
      return n.error() << "a sequence of " << length.text() << " is longer than the table of positions, "
                       << typeText(places);
    positions = heddle::onnx::positions(n.b, {1, length}, 1);
  }
  if (failed(addRows(places, positions)) || (kinds && failed(addRows(kinds, segments))))
    return failure();
  FailureOr<Value> gamma = vectorFor(n, *sum, 5);
  FailureOr<Value> beta = failed(gamma) ? gamma : vectorFor(n, *sum, 6);
  if (failed(beta))
    return failure();
  if (n.wants(1)) { // the number of tokens of each sequence that are not padding; 0 if there is no mask
    Value mask = n.in(7);
    if (mask && (rankOf(mask) != 2 || failed(n.requireInteger(mask))))
      return n.error() << "expected a mask of integers with 2 dimensions, found " << typeText(mask);
    Type type = n.b.getI32Type();
    (void)n.yield(1, mask ? n.b.castTo(n.b.reduce(Emitter::Reduction::Sum, mask, 1, /*keep=*/false), type)
                          : n.b.splat({shapeOf(ids)[0]}, type, 0));
  }
  if (n.wants(2))
    (void)n.yield(2, *sum);
  return n.yield(
      heddle::LayerNormOp::create(n.b, sum->getType(), *sum, *gamma, *beta, Value(), n.b.getF64FloatAttr(epsilon)));
}

} // namespace

void heddle::onnx::addOnnxRuntimeLayers(OpTable &table) {
  table["Gelu"] = {convertBiasGelu<false>};
  table["BiasGelu"] = {convertBiasGelu<false>, 2, 2};
  table["FastGelu"] = {convertBiasGelu<true>, 1, 2};
  table["QuickGelu"] = {convertQuickGelu};
  table["FusedMatMul"] = {convertFusedMatMul, 2, 2};
  table["SkipLayerNormalization"] = {convertSkipLayerNorm, 3, 5};
  table["SkipSimplifiedLayerNormalization"] = {convertSkipRmsNorm, 3, 4};
  table["EmbedLayerNormalization"] = {convertEmbedLayerNorm, 1, 9};
}
