//===- Normalization.cpp - LayerNormalization, RMSNormalization -----------===//

#include "OpTable.h"
#include "SizedOperands.h"

#include "Heddle.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

/// The operands of a norm. The dimensions of the input from `axis` on are collapsed into one dimension of `width`
/// elements.
struct Rows {
  Shape original, rows; // the shape of the input, before and after the collapse
  Value input;
  /// Scale and bias as vectors [width], if they become operands of the norm; otherwise null.
  Value scale, bias;
  /// The scale and the bias if they are applied after the norm, in the shape that they have in the file; otherwise
  /// null. A scale or bias that differs between rows is applied after the norm. If the scale is applied after the norm,
  /// so is the bias.
  Value scaleOfRows, biasOfRows;
  int64_t axis, width; // the first normalized dimension of the input, and the number of normalized elements of a row
};

/// Returns a scale or bias as a vector with one element for each element of a row, where `normalized` is the shape of a
/// row. Returns null if the scale or bias differs between rows.
Value readVector(Emitter &b, Value value, ArrayRef<Dim> normalized) {
  Shape shape(shapeOf(value));
  while (shape.size() > normalized.size() && shape.front() == 1)
    shape.erase(shape.begin());
  if (broadcastShapes(normalized, shape) != Shape(normalized))
    return {};
  Value vector = b.broadcast(b.reshape(value, shape), normalized);
  return b.reshape(vector, product(normalized));
}

/// Reshapes the result of a norm to the shape of the input, and applies the scale and the bias that differ between
/// rows.
Value finish(Emitter &b, const Rows &rows, Value result) {
  result = b.reshape(result, rows.original);
  if (rows.scaleOfRows)
    result = b.mul(result, rows.scaleOfRows);
  return rows.biasOfRows ? b.add(result, rows.biasOfRows) : result;
}

FailureOr<Rows> readRows(NodeContext &n) {
  Value x = n.in(0);
  // stash_type is the type of intermediate results. heddle.layer_norm and heddle.rms_norm compute them with at least
  // the precision of f32.
  if (n.intAttr("stash_type", 1) != 1)
    return n.error() << "stash_type other than 1 (FLOAT) is not supported";
  SmallVector<Value> present{x, n.in(1)};
  if (n.in(2))
    present.push_back(n.in(2));
  if (failed(n.requireFloat(x)) || failed(n.requireSameElements(present)))
    return failure();
  FailureOr<int64_t> axis = n.axis(n.intAttr("axis", -1), rankOf(x));
  if (failed(axis))
    return failure();
  Rows result;
  result.axis = *axis;
  result.original = shapeOf(x);
  result.rows = Shape(ArrayRef(result.original).take_front(*axis));
  Shape normalized(ArrayRef(result.original).drop_front(*axis));
  FailureOr<int64_t> counted = requireNumber(n, *countElements(normalized), "the number of normalized elements");
  if (failed(counted))
    return failure();
  int64_t width = *counted;
  result.width = width;
  if (width == 0)
    return n.error() << "the dimensions to normalize have no elements in " << typeText(x);
  result.rows.push_back(width);
  result.input = n.b.reshape(x, result.rows);
  for (size_t i : {1, 2}) {
    Value value = n.in(i);
    if (!value)
      continue;
    if (broadcastShapes(result.original, shapeOf(value)) != result.original)
      return n.error() << "input " << i << ", " << typeText(value) << ", does not broadcast to "
                       << shapeText(result.original);
    Value vector = readVector(n.b, value, normalized);
    if (!vector || result.scaleOfRows) // the bias must be added after the scale is applied
      (i == 1 ? result.scaleOfRows : result.biasOfRows) = value;
    else
      (i == 1 ? result.scale : result.bias) = vector;
  }
  return result;
}

LogicalResult convertLayerNorm(NodeContext &n) {
  FailureOr<Rows> rows = readRows(n);
  double epsilon = n.floatAttr("epsilon", 1e-5f);
  if (failed(rows))
    return failure();
  Emitter &b = n.b;
  Value x = rows->input;
  Value result =
      heddle::LayerNormOp::create(b, x.getType(), x, rows->scale, rows->bias, Value(), b.getF64FloatAttr(epsilon));
  if (n.wants(1) || n.wants(2)) {
    using Reduction = Emitter::Reduction;
    int64_t last = rows->rows.size() - 1;
    Shape kept(rows->original);
    std::fill(kept.begin() + rows->axis, kept.end(), 1);
    auto mean = [&](Value value) {
      Value sum = b.reduce(Reduction::Sum, value, last, /*keep=*/true);
      return b.div(sum, b.splatLike(sum, rows->width));
    };
    // Mean and InvStdDev have the type of intermediate results, which stash_type requires to be f32.
    Type stash = b.getF32Type();
    Value input = elementOf(x).getIntOrFloatBitWidth() < 32 ? b.castTo(x, stash) : x;
    Value average = mean(input);
    Value centred = b.sub(input, average);
    Value variance = mean(b.mul(centred, centred));
    Value deviation = b.elementwise<math::SqrtOp>(b.add(variance, b.splatLike(variance, epsilon)));
    if (n.wants(1))
      (void)n.yield(1, b.castTo(b.reshape(average, kept), stash));
    if (n.wants(2))
      (void)n.yield(2, b.castTo(b.reshape(b.div(b.splatLike(deviation, 1), deviation), kept), stash));
  }
  return n.yield(finish(b, *rows, result));
}

LogicalResult convertRmsNorm(NodeContext &n) {
  FailureOr<Rows> rows = readRows(n);
  double epsilon = n.floatAttr("epsilon", 1e-5f);
  if (failed(rows))
    return failure();
  Value result = heddle::RmsNormOp::create(n.b, rows->input.getType(), rows->input, rows->scale, Value(),
                                           n.b.getF64FloatAttr(epsilon));
  return n.yield(finish(n.b, *rows, result));
}

} // namespace

void heddle::onnx::addNormalizationOps(OpTable &table) {
  // ONNX has had LayerNormalization since opset 17. ONNX Runtime writes it, and its own SimplifiedLayerNormalization,
  // into models of any opset.
  table["LayerNormalization"] = {convertLayerNorm, 2, 3};
  table["SimplifiedLayerNormalization"] = {convertRmsNorm, 2, 2};
  table["RMSNormalization"] = {convertRmsNorm, 2, 2, 23};
}
