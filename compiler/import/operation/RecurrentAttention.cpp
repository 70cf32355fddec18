//===- RecurrentAttention.cpp - the quoted recurrent_attention ------------===//
//
// Builds a model with one heddle.recurrent_attention from words such as 'recurrent_attention b=2 h=4 s=128 d=64'
// (Operation.h). Each of b sequences has s positions, with hq query heads, and hkv heads of keys (d elements) and
// values (dv elements). The inputs may be random; the model also converts them to valid keys and gates.
//
//===----------------------------------------------------------------------===//

#include "Builders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;

/// Multiplies the keys by 1 / sqrt(size). The length of random keys is then about 1. With the delta rule, longer keys
/// would make the state grow without bound; models normalise keys for the same reason.
static Value scaleKeys(MainBuilder &b, Value keys, int64_t size) {
  auto type = cast<RankedTensorType>(keys.getType());
  FloatAttr factor = b.getFloatAttr(type.getElementType(), 1 / std::sqrt(double(size)));
  return arith::MulFOp::create(b, keys, arith::ConstantOp::create(b, DenseElementsAttr::get(type, Attribute(factor))));
}

/// Returns -|gate|, the logarithm of a decay that is at most 1.
static Value negative(MainBuilder &b, Value gate) { return arith::NegFOp::create(b, math::AbsFOp::create(b, gate)); }

/// Returns the logistic function of `gate`.
static Value logistic(MainBuilder &b, Value gate) {
  auto type = cast<RankedTensorType>(gate.getType());
  FloatAttr number = b.getFloatAttr(type.getElementType(), 1);
  Value one = arith::ConstantOp::create(b, DenseElementsAttr::get(type, Attribute(number)));
  Value below = math::ExpOp::create(b, arith::NegFOp::create(b, gate));
  return arith::DivFOp::create(b, one, arith::AddFOp::create(b, one, below));
}

static NamedResults buildRecurrentAttention(OperationBuilder &builder) {
  Knobs &knobs = builder.knobs;
  MainBuilder &main = builder.main;
  Dim b = knobs.anySize({StringRef("b")}, 1);
  int64_t hq = knobs.size({StringRef("hq"), StringRef("h")}, 1);
  int64_t hkv = knobs.size("hkv", hq, "hq");
  Dim s = knobs.anySize({StringRef("s"), StringRef("sq")});
  int64_t d = knobs.size("d");
  int64_t dv = knobs.size("dv", d, "d");
  enum { None, Head, Row };
  unsigned decays = knobs.choice("decay", {"none", "head", "row"}, Head);
  bool delta = knobs.flag("delta", true), state = knobs.flag("state", true);
  double scale = knobs.number("scale", 1.0, {"0.3"});
  if (hq % hkv != 0)
    knobs.refuse("hkv", "expected a divisor of hq");
  if (!builder.ready())
    return {};
  Value query = builder.input("q", {b, s, hq, d});
  Value key = builder.input("k", {b, s, hkv, d});
  Value value = builder.input("v", {b, s, hkv, dv});
  Value decay = builder.input("decay", {b, s, hkv, decays == Row ? d : int64_t(1)}, decays != None);
  Value beta = builder.input("beta", {b, s, hkv, 1}, delta);
  Value past = builder.input("state", {b, hkv, d, dv}, state);
  auto op = RecurrentAttentionOp::create(
      main, TypeRange{builder.tensor({b, s, hq, dv}), builder.tensor({b, hkv, d, dv})}, query,
      delta ? scaleKeys(main, key, d) : key, value, decay ? negative(main, decay) : Value(),
      beta ? logistic(main, beta) : Value(), past, main.getF64FloatAttr(scale));
  return {{"out", op.getResult()}, {"last_state", op.getLastState()}};
}

void heddle::quoteRecurrentAttention(QuotedOperations &operations) {
  operations["recurrent_attention"] = {"q, k, v [, decay, beta, state] -> out, last_state", buildRecurrentAttention};
}
