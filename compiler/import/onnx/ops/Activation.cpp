//===- Activation.cpp - Relu, Elu, Gelu, Sigmoid and their kin ------------===//

#include "OpTable.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

LogicalResult convertRelu(NodeContext &n) {
  Value x = n.in(0);
  if (elementOf(x).isInteger(1))
    return n.error() << "arithmetic on bool elements";
  return n.yield(n.b.maximum(x, n.b.splatLike(x, 0)));
}

Value isPositive(Emitter &b, Value x) {
  return b.elementwise<arith::CmpFOp>(arith::CmpFPredicate::OGT, x, b.splatLike(x, 0));
}

Value exponential(Emitter &b, Value x) { return b.elementwise<math::ExpOp>(x); }

/// 1 / (1 + exp(-x))
Value sigmoid(Emitter &b, Value x) {
  Value one = b.splatLike(x, 1);
  return b.divFloat(one, b.add(one, exponential(b, b.elementwise<arith::NegFOp>(x))));
}

/// x where it is positive, else alpha (exp(x) - 1)
LogicalResult convertElu(NodeContext &n) {
  Value x = n.in(0);
  double alpha = n.floatAttr("alpha", 1.0);
  if (failed(n.requireFloat(x)))
    return failure();
  Value below = n.b.sub(exponential(n.b, x), n.b.splatLike(x, 1));
  if (alpha != 1.0)
    below = n.b.mul(n.b.splatLike(x, alpha), below);
  return n.yield(n.b.select(isPositive(n.b, x), x, below));
}

LogicalResult convertLeakyRelu(NodeContext &n) {
  Value x = n.in(0);
  double alpha = n.floatAttr("alpha", 0.01f);
  if (failed(n.requireFloat(x)))
    return failure();
  return n.yield(n.b.select(isPositive(n.b, x), x, n.b.mul(x, n.b.splatLike(x, alpha))));
}

LogicalResult convertSigmoid(NodeContext &n) {
  if (failed(n.requireFloat(n.in(0))))
    return failure();
  return n.yield(sigmoid(n.b, n.in(0)));
}

/// log(1 + exp(x)), as max(x, 0) + log(1 + exp(-|x|)), which does not overflow.
LogicalResult convertSoftplus(NodeContext &n) {
  Value x = n.in(0);
  if (failed(n.requireFloat(x)))
    return failure();
  Value minusAbs = n.b.elementwise<arith::NegFOp>(n.b.elementwise<math::AbsFOp>(x));
  Value log = n.b.elementwise<math::LogOp>(n.b.add(n.b.splatLike(x, 1), exponential(n.b, minusAbs)));
  return n.yield(n.b.add(n.b.maximum(x, n.b.splatLike(x, 0)), log));
}

/// As PyTorch's exporter decomposes it before opset 20.
LogicalResult convertGelu(NodeContext &n) {
  Value x = n.in(0);
  std::string approximate = n.stringAttr("approximate", "none");
  if (failed(n.requireFloat(x)))
    return failure();
  Emitter &b = n.b;
  Value inner;
  if (approximate == "none") {
    inner = b.elementwise<math::ErfOp>(b.divFloat(x, b.splatLike(x, std::sqrt(2.0))));
  } else if (approximate == "tanh") {
    Value cube = b.mul(b.mul(x, x), x);
    Value sum = b.add(x, b.mul(cube, b.splatLike(x, 0.044715)));
    inner = b.elementwise<math::TanhOp>(b.mul(sum, b.splatLike(x, std::sqrt(2.0 / M_PI))));
  } else {
    return n.error() << "approximate = '" << approximate << "', expected none or tanh";
  }
  Value half = b.mul(x, b.splatLike(x, 0.5));
  return n.yield(b.mul(half, b.add(inner, b.splatLike(x, 1))));
}

/// x sigmoid(alpha x)
Value swish(NodeContext &n, Value x) {
  double alpha = n.floatAttr("alpha", 1.0);
  Value scaled = alpha == 1.0 ? x : n.b.mul(x, n.b.splatLike(x, alpha));
  return n.b.mul(x, sigmoid(n.b, scaled));
}

LogicalResult convertSwish(NodeContext &n) {
  if (failed(n.requireFloat(n.in(0))))
    return failure();
  return n.yield(swish(n, n.in(0)));
}

/// swish(gate) x value
LogicalResult convertSwiGlu(NodeContext &n) {
  Value gate = n.in(0), value = n.in(1);
  if (failed(n.requireFloat(gate)) || failed(n.requireSameElements({gate, value})))
    return failure();
  if (shapeOf(gate) != shapeOf(value))
    return n.error() << "expected operands of one shape, found " << typeText(gate) << " and " << typeText(value);
  return n.yield(n.b.mul(swish(n, gate), value));
}

} // namespace

void heddle::onnx::addActivationOps(OpTable &table) {
  table["Relu"] = {convertRelu};
  table["Elu"] = {convertElu};
  table["LeakyRelu"] = {convertLeakyRelu};
  table["Sigmoid"] = {convertSigmoid};
  table["Softplus"] = {convertSoftplus};
  table["Gelu"] = {convertGelu, 1, 1, 20};
  table["Swish"] = {convertSwish, 1, 1, 24};
  table["SwiGLU"] = {convertSwiGlu, 2, 2, 28};
}
