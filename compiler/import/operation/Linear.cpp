//===- Linear.cpp - the quoted operations linear and ffn ------------------===//
//
// A quoted operation is a model that is given as one operation in words, such as 'linear m=8 n=64 k=64' (Operation.h).
// By default, the weights are arguments of @main. With `weights=constant`, they are random numbers, which are stored
// like the weights of a file.
//
//===----------------------------------------------------------------------===//

#include "Builders.h"
#include "Rounding.h"

using namespace mlir;
using namespace heddle;

/// Reads the knob `activation`.
static ActivationAttr getActivation(OperationBuilder &builder, Activation fallback) {
  static const StringRef names[] = {"none", "relu", "gelu", "gelu_tanh", "silu", "tanh"};
  unsigned index = builder.knobs.choice("activation", names, static_cast<unsigned>(fallback));
  return ActivationAttr::get(builder.main.getContext(), static_cast<Activation>(index));
}

/// Reads the knob `weights`.
static bool areWeightsConstant(Knobs &knobs) { return knobs.choice("weights", {"input", "constant"}); }

static NamedResults buildLinear(OperationBuilder &builder) {
  Knobs &knobs = builder.knobs;
  Dim m = knobs.anySize({StringRef("m"), StringRef("rows")});
  int64_t n = knobs.size("n"), k = knobs.size("k");
  ActivationAttr activation = getActivation(builder, Activation::None);
  bool hasBias = knobs.flag("bias", false), hasResidual = knobs.flag("residual", false);
  bool constant = areWeightsConstant(knobs);
  LayerRounding rounding(builder, k);
  if (!builder.ready())
    return {};

  Value input = builder.input("input", {m, k});
  Value weight = rounding.stored(builder.weight("weight", {k, n}, constant, k));
  Value bias = hasBias ? builder.weight("bias", {n}, constant, k) : Value();
  Value residual = builder.input("residual", {m, n}, hasResidual);
  auto linear =
      LinearOp::create(builder.main, builder.tensor({m, n}), input, weight, bias, residual, activation,
                       rounding.rows());
  return {{"out", linear.getResult()}};
}

static NamedResults buildFfn(OperationBuilder &builder) {
  Knobs &knobs = builder.knobs;
  Dim m = knobs.anySize({StringRef("m"), StringRef("rows")});
  int64_t k = knobs.size({StringRef("k"), StringRef("d")});
  int64_t h = knobs.size({StringRef("h"), StringRef("hidden")}), n = knobs.size("n", k, "k");
  ActivationAttr activation = getActivation(builder, Activation::Gelu);
  bool gated = knobs.flag("gated", false), hasBias = knobs.flag("bias", false);
  bool hasResidual = knobs.flag("residual", false), constant = areWeightsConstant(knobs);
  if (!builder.ready())
    return {};

  auto bias = [&](StringRef name, int64_t size, int64_t fanIn, bool present) {
    return present ? builder.weight(name, {size}, constant, fanIn) : Value();
  };
  Value input = builder.input("input", {m, k});
  Value gate = gated ? builder.weight("gate", {k, h}, constant, k) : Value();
  Value gateBias = bias("gate_bias", h, k, gated && hasBias);
  Value up = builder.weight("up", {k, h}, constant, k);
  Value upBias = bias("up_bias", h, k, hasBias);
  Value down = builder.weight("down", {h, n}, constant, h);
  Value downBias = bias("down_bias", n, h, hasBias);
  Value residual = builder.input("residual", {m, n}, hasResidual);
  auto ffn = FfnOp::create(builder.main, builder.tensor({m, n}), input, up, down, upBias, downBias, gate,
                           gateBias, residual, activation);
  return {{"out", ffn.getResult()}};
}

void heddle::quoteLinear(QuotedOperations &operations) {
  operations["ffn"] = {"input [, gate, gate_bias], up [, up_bias], down [, down_bias, residual] -> out", buildFfn};
  operations["linear"] = {"input, weight [, bias, residual] -> out", buildLinear};
}
