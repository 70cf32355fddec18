//===- Quantization.cpp - ONNX Runtime's products of integers -------------===//

#include "../MatMul.h"
#include "../Quantization.h"
#include "OpTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

namespace {

/// Yields the product of `rows` and `weight` plus `bias`, which may be null. If `rounded` describes the rounding of the
/// rows and `weight` is stored, yields a linear layer with rounded rows; otherwise yields the product in floats.
LogicalResult yieldProduct(NodeContext &n, std::optional<SmallIntegers::Rounded> rounded, Value rows, Value weight,
                           Value bias) {
  if (bias && (failed(n.requireFloat(bias)) || shapeOf(bias) != Shape{shapeOf(weight).back()}))
    return n.error() << "a bias of " << typeText(bias) << " does not fit weights of " << shapeText(shapeOf(weight));
  if (rounded)
    if (Value layer = roundedLinear(n, *rounded, weight, bias))
      return n.yield(layer);
  FailureOr<Value> product = matmul(n, rows, weight);
  if (failed(product))
    return failure();
  return n.yield(bias ? n.b.add(*product, bias) : *product);
}

/// Emits an error if one of these operands is present and does not consist of integers of 4 or 8 bits.
LogicalResult requireIntegers(NodeContext &n, ArrayRef<size_t> operands) {
  for (size_t i : operands)
    if (n.in(i) && failed(requireSmall(n, i)))
      return failure();
  return success();
}

/// Converts DynamicQuantizeMatMul, a product of f32 rows with integers. In each call of the model, the compiled code
/// computes one scale and one zero point, with which all rows are rounded.
LogicalResult convertDynamicQuantizeMatMul(NodeContext &n) {
  if (failed(requireIntegers(n, {1, 3})) || failed(n.requireFloat(n.in(0))))
    return failure();
  if (!elementOf(n.in(0)).isF32() || rankOf(n.in(1)) == 0)
    return n.error() << "expected rows of f32 and weights with dimensions, found " << typeText(n.in(0)) << " and "
                     << shapeText(shapeOf(n.in(1)));
  FailureOr<Value> weight = dequantize(n, n.in(1), {n.in(2), n.in(3), n.smallType(1), -1, 0});
  if (failed(weight))
    return failure();
  SmallIntegers::Rounded rounded = roundDynamically(n, n.in(0));
  Value rows = roundedFloats(n.b, rounded);
  return yieldProduct(n, rounded, rows, *weight, n.in(4));
}

/// Converts MatMulIntegerToFloat, a product of two tensors of integers with their scales. The rows have a single scale.
LogicalResult convertMatMulIntegerToFloat(NodeContext &n) {
  if (failed(requireIntegers(n, {4, 5})))
    return failure();
  FailureOr<Value> product = integerProduct(n, {0, n.in(2), n.in(4)}, {1, n.in(3), n.in(5)}, n.in(6));
  return failed(product) ? failure() : n.yield(*product);
}

} // namespace

void heddle::onnx::addOnnxRuntimeQuantization(OpTable &table) {
  auto takes = [](auto convert, unsigned minimum, unsigned maximum) {
    return OpEntry{convert, minimum, maximum, 1, INT64_MAX, SmallUse::Supported};
  };
  table["DynamicQuantizeMatMul"] = takes(convertDynamicQuantizeMatMul, 3, 5);
  table["MatMulIntegerToFloat"] = takes(convertMatMulIntegerToFloat, 4, 7);
}
