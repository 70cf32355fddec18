//===- Unary.cpp - elementwise functions of one tensor --------------------===//

#include "OpTable.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

/// Converts a floating-point function for which math or arith has an operation.
template <typename Op>
LogicalResult convertFloat(NodeContext &n) {
  if (failed(n.requireFloat(n.in(0))))
    return failure();
  return n.yield(n.b.elementwise<Op>(n.in(0)));
}

LogicalResult convertNeg(NodeContext &n) {
  if (isFloat(n.in(0)))
    return n.yield(n.b.elementwise<arith::NegFOp>(n.in(0)));
  if (failed(n.requireInteger(n.in(0))))
    return failure();
  return n.yield(n.b.sub(n.b.splatLike(n.in(0), 0), n.in(0)));
}

LogicalResult convertAbs(NodeContext &n) {
  Value x = n.in(0);
  if (isFloat(x))
    return n.yield(n.b.elementwise<math::AbsFOp>(x));
  if (failed(n.requireInteger(x)))
    return failure();
  return n.yield(n.b.maximum(x, n.b.sub(n.b.splatLike(x, 0), x)));
}

LogicalResult convertReciprocal(NodeContext &n) {
  if (failed(n.requireFloat(n.in(0))))
    return failure();
  return n.yield(n.b.div(n.b.splatLike(n.in(0), 1), n.in(0)));
}

LogicalResult convertSign(NodeContext &n) {
  Value x = n.in(0), zero = n.b.splatLike(x, 0), one = n.b.splatLike(x, 1), minusOne = n.b.splatLike(x, -1);
  if (isFloat(x)) {
    Value positive = n.b.elementwise<arith::CmpFOp>(arith::CmpFPredicate::OGT, x, zero);
    Value negative = n.b.elementwise<arith::CmpFOp>(arith::CmpFPredicate::OLT, x, zero);
    // Zeros and NaN are returned unchanged.
    return n.yield(n.b.select(positive, one, n.b.select(negative, minusOne, x)));
  }
  if (failed(n.requireInteger(x)))
    return failure();
  return n.yield(n.b.minimum(n.b.maximum(x, minusOne), one));
}

LogicalResult convertIdentity(NodeContext &n) { return n.yield(n.in(0)); }

/// Converts Cast. A cast of the result of MatMulInteger to f32 yields the same product computed in floats, which the
/// importer has emitted for this purpose (SmallIntegers::products).
LogicalResult convertCast(NodeContext &n) {
  n.intAttr("saturate", 1);         // applies to 8-bit floats only
  n.stringAttr("round_mode", "up"); // applies to 8-bit floats only
  if (!n.has("to"))
    return n.error() << "attribute 'to' is missing";
  int64_t to = n.intAttr("to", 0);
  Type element = to >= 0 && to < 1000 ? elementType(n.b.getContext(), to) : Type();
  if (!element)
    return n.error() << "casts to " << elementTypeName(to) << " are not supported";
  SmallIntegers &small = n.model.small;
  auto product = small.products.find(n.in(0));
  if (product == small.products.end() || !element.isF32())
    return n.yield(n.b.castTo(n.in(0), element));
  const SmallIntegers::Product waiting = product->second;
  small.products[waiting.product] = waiting;
  return n.yield(waiting.product);
}

LogicalResult convertCastLike(NodeContext &n) {
  n.intAttr("saturate", 1);
  n.stringAttr("round_mode", "up");
  return n.yield(n.b.castTo(n.in(0), elementOf(n.in(1))));
}

/// Converts Clip: min(max(x, low), high), where each bound may be absent. The bounds are attributes up to opset 10, and
/// inputs from opset 11 on.
LogicalResult convertClip(NodeContext &n) {
  Value x = n.in(0), low = n.in(1), high = n.in(2);
  if (n.opset < 11) {
    if (failed(n.requireFloat(x)))
      return failure();
    if (n.has("min"))
      low = n.b.splat({}, elementOf(x), n.floatAttr("min", 0));
    if (n.has("max"))
      high = n.b.splat({}, elementOf(x), n.floatAttr("max", 0));
  }
  for (Value bound : {low, high}) {
    if (!bound)
      continue;
    if (cast<RankedTensorType>(bound.getType()).getNumElements() != 1)
      return n.error() << "a bound must be one number, found " << typeText(bound);
    if (failed(n.requireSameElements({x, bound})))
      return failure();
  }
  if (elementOf(x).isInteger(1))
    return n.error() << "arithmetic on bool elements is not supported";
  if (low)
    x = n.b.maximum(x, n.b.reshape(low, {}));
  if (high)
    x = n.b.minimum(x, n.b.reshape(high, {}));
  return n.yield(x);
}

/// Dropout is imported as the identity, since compiled models do not train.
LogicalResult convertDropout(NodeContext &n) {
  n.floatAttr("ratio", 0.5);
  n.intAttr("seed", 0);
  if (n.in(2)) {
    std::optional<SmallVector<int64_t>> training = Emitter::integersOf(n.in(2));
    if (!training || training->size() != 1)
      return n.error() << "training_mode must be known at import";
    if (training->front())
      n.remark("the model contains Dropout in training mode, which is imported as the identity");
  }
  if (n.wants(1))
    (void)n.yield(1, n.b.splat(shapeOf(n.in(0)), n.opset < 10 ? elementOf(n.in(0)) : n.b.getI1Type(), 1));
  return n.yield(n.in(0));
}

} // namespace

void heddle::onnx::addUnaryOps(OpTable &table) {
  table["Neg"] = {convertNeg};
  table["Abs"] = {convertAbs};
  table["Reciprocal"] = {convertReciprocal};
  table["Sign"] = {convertSign, 1, 1, 9};
  table["Sqrt"] = {convertFloat<math::SqrtOp>};
  table["Exp"] = {convertFloat<math::ExpOp>};
  table["Log"] = {convertFloat<math::LogOp>};
  table["Erf"] = {convertFloat<math::ErfOp>, 1, 1, 9};
  table["Tanh"] = {convertFloat<math::TanhOp>};
  table["Sin"] = {convertFloat<math::SinOp>, 1, 1, 7};
  table["Cos"] = {convertFloat<math::CosOp>, 1, 1, 7};
  table["Tan"] = {convertFloat<math::TanOp>, 1, 1, 7};
  table["Asin"] = {convertFloat<math::AsinOp>, 1, 1, 7};
  table["Acos"] = {convertFloat<math::AcosOp>, 1, 1, 7};
  table["Atan"] = {convertFloat<math::AtanOp>, 1, 1, 7};
  table["Sinh"] = {convertFloat<math::SinhOp>, 1, 1, 9};
  table["Cosh"] = {convertFloat<math::CoshOp>, 1, 1, 9};
  table["Asinh"] = {convertFloat<math::AsinhOp>, 1, 1, 9};
  table["Acosh"] = {convertFloat<math::AcoshOp>, 1, 1, 9};
  table["Atanh"] = {convertFloat<math::AtanhOp>, 1, 1, 9};
  table["Floor"] = {convertFloat<math::FloorOp>};
  table["Ceil"] = {convertFloat<math::CeilOp>};
  table["Round"] = {convertFloat<math::RoundEvenOp>, 1, 1, 11};
  table["Identity"] = {convertIdentity};
  table["Cast"] = {convertCast};
  table["CastLike"] = {convertCastLike, 2, 2, 15};
  table["Clip"] = {convertClip, 1, 3};
  table["Dropout"] = {convertDropout, 1, 3};
}
