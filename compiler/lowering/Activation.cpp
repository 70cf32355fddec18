//===- Activation.cpp - activation functions of linear and ffn ------------===//

#include "Emit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

Value heddle::emitActivation(OpBuilder &b, Location loc, Activation activation, Value x) {
  auto constant = [&](double value) { return emitFloat(b, loc, x.getType(), value); };
  auto mul = [&](Value left, Value right) -> Value { return arith::MulFOp::create(b, loc, left, right); };
  auto add = [&](Value left, Value right) -> Value { return arith::AddFOp::create(b, loc, left, right); };
  switch (activation) {
  case Activation::None:
    return x;
  case Activation::Relu: {
    // x < 0 ? 0 : x keeps NaN, as arith.maximumf does, but takes fewer instructions.
    Value zero = constant(0.0);
    Value negative = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, zero);
    return arith::SelectOp::create(b, loc, negative, zero, x);
  }
  case Activation::Gelu: {
    Value erf = math::ErfOp::create(b, loc, mul(x, constant(std::sqrt(0.5))));
    Value half = mul(x, constant(0.5));
    return add(mul(half, erf), half); // half * erf + half takes one multiply-add
  }
  case Activation::GeluTanh: {
    Value cube = mul(mul(x, x), x);
    Value inner = mul(add(mul(cube, constant(0.044715)), x), constant(std::sqrt(2.0 / M_PI)));
    Value tanh = math::TanhOp::create(b, loc, inner);
    Value half = mul(x, constant(0.5));
    return add(mul(half, tanh), half);
  }
  case Activation::Silu: {
    Value exp = math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, x));
    return arith::DivFOp::create(b, loc, x, add(exp, constant(1.0)));
  }
  case Activation::Tanh:
    return math::TanhOp::create(b, loc, x);
  }
  llvm_unreachable("all activations are handled");
}
