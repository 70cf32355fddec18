//===- QuantizedOperators.cpp - operators on quantised tensors ------------===//
//
// ONNX Runtime's quantize_static writes these operators with QuantFormat.QOperator. The inputs of each operator include
// the scales and zero points of its operands and of its result. The operator is computed in floats on the values that
// the integers represent, and its result is rounded to integers. If only products read these integers, they are never
// stored in memory: the linear layer reads the floats and rounds them itself.
//
//===----------------------------------------------------------------------===//

#include "../Quantization.h"
#include "OpTable.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

namespace {

/// Yields the rounded result. The operands `at` and `at + 1` are the scale and the zero point of the result.
LogicalResult yieldRounded(NodeContext &n, Value result, size_t at) {
  Value scale = n.in(at), zero = n.in(at + 1);
  if (!scale || !zero || failed(requireSmall(n, at + 1)))
    return n.error() << "expected the result's scale and zero point";
  if (failed(n.requireFloat(scale)) || countOf(scale).number() != 1 || countOf(zero).number() != 1)
    return n.error() << "the result has a scale of " << typeText(scale) << " and a zero point of " << typeText(zero)
                     << ", expected one number each";
  IntegerType type = n.smallType(at + 1);
  return n.yieldSmall(roundStatically(n, result, scale, zero, type), type);
}

/// Returns operand `i` with its scale and zero point, which are the next two operands.
IntegerOperand operandAt(NodeContext &n, size_t i) { return {i, n.in(i + 1), n.in(i + 2)}; }

LogicalResult convertQLinearMatMul(NodeContext &n) {
  FailureOr<Value> product = integerProduct(n, operandAt(n, 0), operandAt(n, 3), Value());
  return failed(product) ? failure() : yieldRounded(n, *product, 6);
}

/// Converts QGemm: alpha * A * B + C. The scale of the integers C is alpha times the scales of A and B. If the node
/// has no operand with the scale of the result, the result consists of floats.
LogicalResult convertQGemm(NodeContext &n) {
  double alpha = n.floatAttr("alpha", 1);
  bool isRowsTransposed = n.intAttr("transA", 0) != 0, isTransposed = n.intAttr("transB", 0) != 0;
  IntegerOperand rows = operandAt(n, 0), weight = operandAt(n, 3);
  Value c = n.in(6), bias;
  if (isRowsTransposed)
    return n.error() << "transA is not supported";
  if (rankOf(n.in(0)) != 2 || rankOf(n.in(3)) != 2)
    return n.error() << "expected two matrices, found " << typeText(n.in(0)) << " and " << typeText(n.in(3));
  Value factor = n.b.splat({}, n.b.getF32Type(), alpha);
  if (c) {
    if (!elementOf(c).isInteger(32) || n.smallType(6))
      return n.error() << "expected a C of i32, found " << typeText(c);
    Shape columns{shapeOf(n.in(3))[isTransposed ? 0 : 1]};
    auto spread = [&](Value scale) { return n.b.reshape(scale, countOf(scale).number() == 1 ? Shape{} : columns); };
    if (countOf(rows.scale).number() != 1 || (countOf(weight.scale).number() != 1 && shapeOf(weight.scale) != columns))
      return n.error() << "expected one scale of A, and one scale of B or one for each of its columns, found "
                       << typeText(rows.scale) << " and " << typeText(weight.scale);
    Value steps = n.b.mul(n.b.mul(spread(rows.scale), spread(weight.scale)), factor);
    if (!broadcastShapes(shapeOf(c), shapeOf(steps)))
      return n.error() << "a C of " << typeText(c) << " does not fit the scales";
    bias = n.b.mul(n.b.castTo(c, n.b.getF32Type()), steps);
  }
  bool isLayer = bias && rankOf(bias) == 1 && alpha == 1;
  FailureOr<Value> product = integerProduct(n, rows, weight, isLayer ? bias : Value(), isTransposed);
  if (failed(product))
    return failure();
  Value result = alpha == 1 ? *product : n.b.mul(*product, factor);
  if (bias && !isLayer) {
    if (failed(n.requireBroadcast({result, bias})) || broadcastShapes(shapeOf(result), shapeOf(bias)) != shapeOf(result))
      return n.error() << "a C of " << typeText(c) << " does not fit " << shapeText(shapeOf(result));
    result = n.b.add(result, bias);
  }
  return n.in(7) ? yieldRounded(n, result, 7) : n.yield(result);
}

/// Returns the floats that operand `i`, which has a single scale and zero point, represents.
FailureOr<Value> floatsAt(NodeContext &n, size_t i) {
  if (failed(requireSmall(n, i)))
    return failure();
  return dequantize(n, n.in(i), {n.in(i + 1), n.in(i + 2), n.smallType(i), -1, 0});
}

/// Converts QLinearAdd and QLinearMul.
template <bool isSum>
LogicalResult convertQLinearBinary(NodeContext &n) {
  FailureOr<Value> a = floatsAt(n, 0), b = failed(a) ? a : floatsAt(n, 3);
  if (failed(b) || failed(n.requireBroadcast({*a, *b})))
    return failure();
  return yieldRounded(n, isSum ? n.b.add(*a, *b) : n.b.mul(*a, *b), 6);
}

} // namespace

void heddle::onnx::addQLinearMatMulOp(OpTable &table) {
  table["QLinearMatMul"] = {convertQLinearMatMul, 8, 8, 10, INT64_MAX, SmallUse::Supported};
}

void heddle::onnx::addOnnxRuntimeQuantizedOperators(OpTable &table) {
  table["QGemm"] = {convertQGemm, 6, 9, 1, INT64_MAX, SmallUse::Supported};
  table["QLinearAdd"] = {convertQLinearBinary<true>, 8, 8, 1, INT64_MAX, SmallUse::Supported};
  table["QLinearMul"] = {convertQLinearBinary<false>, 8, 8, 1, INT64_MAX, SmallUse::Supported};
}
