//===- Activation.cpp - Relu, Elu, Gelu, Sigmoid etc. ---------------------===//

#include "Activation.h"
#include "OpTable.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle::onnx;

Value heddle::onnx::sigmoid(Emitter &b, Value x) {
  Value one = b.splatLike(x, 1);
  return b.div(one, b.add(one, b.elementwise<math::ExpOp>(b.elementwise<arith::NegFOp>(x))));
}

Value heddle::onnx::gelu(Emitter &b, Value x, bool byTanh) {
  Value inner;
  if (byTanh) {
    Value cube = b.mul(b.mul(x, x), x);
    Value sum = b.add(x, b.mul(cube, b.splatLike(x, 0.044715)));
    inner = b.elementwise<math::TanhOp>(b.mul(sum, b.splatLike(x, std::sqrt(2.0 / M_PI))));
  } else {
    inner = b.elementwise<math::ErfOp>(b.div(x, b.splatLike(x, std::sqrt(2.0))));
  }
  Value half = b.mul(x, b.splatLike(x, 0.5));
  return b.mul(half, b.add(inner, b.splatLike(x, 1)));
}

Value heddle::onnx::swish(NodeContext &n, Value x, double otherwise) {
  double alpha = n.floatAttr("alpha", otherwise);
  Value scaled = alpha == 1.0 ? x : n.b.mul(x, n.b.splatLike(x, alpha));
  return n.b.mul(x, sigmoid(n.b, scaled));
}

namespace {

LogicalResult convertRelu(NodeContext &n) {
  Value x = n.in(0);
  if (elementOf(x).isInteger(1))
    return n.error() << "arithmetic on bool elements is not supported";
  return n.yield(n.b.maximum(x, n.b.splatLike(x, 0)));
}

Value isPositive(Emitter &b, Value x) {
  return b.elementwise<arith::CmpFOp>(arith::CmpFPredicate::OGT, x, b.splatLike(x, 0));
}

Value exponential(Emitter &b, Value x) { return b.elementwise<math::ExpOp>(x); }

/// x if x > 0, else alpha * (exp(x) - 1)
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

/// gamma * x if x > 0, else gamma * alpha * (exp(x) - 1)
LogicalResult convertSelu(NodeContext &n) {
  Value x = n.in(0);
  double alpha = n.floatAttr("alpha", 1.67326319217681884765625), gamma = n.floatAttr("gamma", 1.05070102214813232421875);
  if (failed(n.requireFloat(x)))
    return failure();
  Value below = n.b.sub(exponential(n.b, x), n.b.splatLike(x, 1));
  Value choice = n.b.select(isPositive(n.b, x), x, n.b.mul(n.b.splatLike(x, alpha), below));
  return n.yield(n.b.mul(n.b.splatLike(x, gamma), choice));
}

/// max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0)
LogicalResult convertCelu(NodeContext &n) {
  Value x = n.in(0);
  double alpha = n.floatAttr("alpha", 1.0);
  if (failed(n.requireFloat(x)))
    return failure();
  Value zero = n.b.splatLike(x, 0), scale = n.b.splatLike(x, alpha);
  Value below = n.b.mul(scale, n.b.sub(exponential(n.b, n.b.div(x, scale)), n.b.splatLike(x, 1)));
  return n.yield(n.b.add(n.b.maximum(x, zero), n.b.minimum(below, zero)));
}

/// max(0, min(1, alpha * x + beta))
Value hardSigmoid(Emitter &b, Value x, double alpha, double beta) {
  Value line = b.add(b.mul(b.splatLike(x, alpha), x), b.splatLike(x, beta));
  return b.maximum(b.minimum(line, b.splatLike(x, 1)), b.splatLike(x, 0));
}

LogicalResult convertHardSigmoid(NodeContext &n) {
  double alpha = n.floatAttr("alpha", 0.2f), beta = n.floatAttr("beta", 0.5);
  if (failed(n.requireFloat(n.in(0))))
    return failure();
  return n.yield(hardSigmoid(n.b, n.in(0), alpha, beta));
}

LogicalResult convertHardSwish(NodeContext &n) {
  Value x = n.in(0);
  if (failed(n.requireFloat(x)))
    return failure();
  return n.yield(n.b.mul(x, hardSigmoid(n.b, x, 1.0 / 6, 0.5)));
}

/// x if x > alpha, else 0
LogicalResult convertThresholdedRelu(NodeContext &n) {
  Value x = n.in(0);
  double alpha = n.floatAttr("alpha", 1.0);
  if (failed(n.requireFloat(x)))
    return failure();
  Value above = n.b.elementwise<arith::CmpFOp>(arith::CmpFPredicate::OGT, x, n.b.splatLike(x, alpha));
  return n.yield(n.b.select(above, x, n.b.splatLike(x, 0)));
}

/// x if x >= 0, else slope * x. The slope is broadcast to the shape of x.
LogicalResult convertPRelu(NodeContext &n) {
  Value x = n.in(0);
  if (failed(n.requireFloat(x)) || failed(n.requireSameElements({x, n.in(1)})))
    return failure();
  FailureOr<Shape> shape = n.requireBroadcast({x, n.in(1)});
  if (failed(shape))
    return failure();
  if (*shape != shapeOf(x))
    return n.error() << "a slope of " << typeText(n.in(1)) << " does not broadcast to " << typeText(x);
  Value slope = n.b.broadcast(n.in(1), *shape);
  Value negative = n.b.elementwise<arith::CmpFOp>(arith::CmpFPredicate::OLT, x, n.b.splatLike(x, 0));
  return n.yield(n.b.select(negative, n.b.mul(x, slope), x));
}

/// x / (1 + |x|)
LogicalResult convertSoftsign(NodeContext &n) {
  Value x = n.in(0);
  if (failed(n.requireFloat(x)))
    return failure();
  return n.yield(n.b.div(x, n.b.add(n.b.splatLike(x, 1), n.b.elementwise<math::AbsFOp>(x))));
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

/// log(1 + exp(x)). Computes max(x, 0) + log(1 + exp(-|x|)), which does not overflow.
Value softplus(Emitter &b, Value x) {
  Value minusAbs = b.elementwise<arith::NegFOp>(b.elementwise<math::AbsFOp>(x));
  Value log = b.elementwise<math::LogOp>(b.add(b.splatLike(x, 1), exponential(b, minusAbs)));
  return b.add(b.maximum(x, b.splatLike(x, 0)), log);
}

LogicalResult convertSoftplus(NodeContext &n) {
  if (failed(n.requireFloat(n.in(0))))
    return failure();
  return n.yield(softplus(n.b, n.in(0)));
}

/// x * tanh(log(1 + exp(x)))
LogicalResult convertMish(NodeContext &n) {
  Value x = n.in(0);
  if (failed(n.requireFloat(x)))
    return failure();
  return n.yield(n.b.mul(x, n.b.elementwise<math::TanhOp>(softplus(n.b, x))));
}

/// Emits the operations that PyTorch's exporter writes before opset 20, since the passes in compiler/recognise
/// recognise them as GELU.
LogicalResult convertGelu(NodeContext &n) {
  Value x = n.in(0);
  std::string approximate = n.stringAttr("approximate", "none");
  if (failed(n.requireFloat(x)))
    return failure();
  if (approximate != "none" && approximate != "tanh")
    return n.error() << "approximate is '" << approximate << "', expected none or tanh";
  return n.yield(gelu(n.b, x, approximate == "tanh"));
}

LogicalResult convertSwish(NodeContext &n) {
  if (failed(n.requireFloat(n.in(0))))
    return failure();
  return n.yield(swish(n, n.in(0), 1));
}

/// swish(gate) * value
LogicalResult convertSwiGlu(NodeContext &n) {
  Value gate = n.in(0), value = n.in(1);
  if (failed(n.requireFloat(gate)) || failed(n.requireSameElements({gate, value})))
    return failure();
  if (shapeOf(gate) != shapeOf(value))
    return n.error() << "expected operands of the same shape, found " << typeText(gate) << " and " << typeText(value);
  return n.yield(n.b.mul(swish(n, gate, 1), value));
}

} // namespace

void heddle::onnx::addActivationOps(OpTable &table) {
  table["Relu"] = {convertRelu};
  table["Elu"] = {convertElu};
  table["Selu"] = {convertSelu};
  table["Celu"] = {convertCelu, 1, 1, 12};
  table["LeakyRelu"] = {convertLeakyRelu};
  table["PRelu"] = {convertPRelu, 2, 2, 7};
  table["ThresholdedRelu"] = {convertThresholdedRelu, 1, 1, 10};
  table["HardSigmoid"] = {convertHardSigmoid};
  table["HardSwish"] = {convertHardSwish, 1, 1, 14};
  table["Softsign"] = {convertSoftsign};
  table["Sigmoid"] = {convertSigmoid};
  table["Softplus"] = {convertSoftplus};
  table["Mish"] = {convertMish, 1, 1, 18};
  table["Gelu"] = {convertGelu, 1, 1, 20};
  table["Swish"] = {convertSwish, 1, 1, 24};
  table["SwiGLU"] = {convertSwiGlu, 2, 2, 28};
}
