//===- Norm.cpp - quoted layer_norm, rms_norm and softmax -----------------===//
//
// Builds a model with one norm or softmax of `rows` rows of d elements from words such as 'layer_norm rows=5 d=39
// bias=0' (Operation.h). Each word name=value is a knob.
//
//===----------------------------------------------------------------------===//

#include "Builders.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

namespace {
/// The operands and the attribute of a layer_norm or rms_norm. Operands other than `input` may be null.
struct Norm {
  Value input, scale, bias, residual;
  FloatAttr epsilon;
};
} // namespace

/// Reads the knobs of a layer_norm or rms_norm and adds its operands. Returns nothing after an error.
static std::optional<Norm> buildOperands(OperationBuilder &builder, bool canHaveBias) {
  Knobs &knobs = builder.knobs;
  Dim rows = knobs.anySize({StringRef("rows"), StringRef("m")});
  int64_t d = knobs.size("d");
  bool hasScale = knobs.flag("scale", true), hasBias = canHaveBias && knobs.flag("bias", true);
  bool hasResidual = knobs.flag("residual", false);
  double epsilon = knobs.number("epsilon", 1e-5, {"1e-12", "1e-3", "0.5"});
  if (!builder.ready())
    return std::nullopt;
  Norm norm;
  norm.input = builder.input("input", {rows, d});
  norm.scale = builder.input("scale", {d}, hasScale);
  norm.bias = builder.input("bias", {d}, hasBias);
  norm.residual = builder.input("residual", {rows, d}, hasResidual);
  norm.epsilon = builder.main.getF64FloatAttr(epsilon);
  return norm;
}

static NamedResults buildLayerNorm(OperationBuilder &builder) {
  std::optional<Norm> norm = buildOperands(builder, /*canHaveBias=*/true);
  if (!norm)
    return {};
  auto op = LayerNormOp::create(builder.main, norm->input.getType(), norm->input, norm->scale, norm->bias,
                                norm->residual, norm->epsilon);
  return {{"out", op.getResult()}};
}

static NamedResults buildRmsNorm(OperationBuilder &builder) {
  std::optional<Norm> norm = buildOperands(builder, /*canHaveBias=*/false);
  if (!norm)
    return {};
  auto op = RmsNormOp::create(builder.main, norm->input.getType(), norm->input, norm->scale, norm->residual,
                              norm->epsilon);
  return {{"out", op.getResult()}};
}

static NamedResults buildSoftmax(OperationBuilder &builder) {
  Knobs &knobs = builder.knobs;
  Dim rows = knobs.anySize({StringRef("rows"), StringRef("m")});
  int64_t d = knobs.size("d");
  int64_t axis = knobs.choice("axis", {"0", "1"}, 1);
  if (!builder.ready())
    return {};
  Value input = builder.input("input", {rows, d});
  Value empty = tensor::EmptyOp::create(builder.main, numbersOf({rows, d}), builder.element);
  auto softmax = linalg::SoftmaxOp::create(builder.main, input.getType(), input, empty, axis);
  return {{"out", softmax->getResult(0)}};
}

void heddle::quoteNorm(QuotedOperations &operations) {
  operations["layer_norm"] = {"input [, scale, bias, residual] -> out", buildLayerNorm};
  operations["rms_norm"] = {"input [, scale, residual] -> out", buildRmsNorm};
  operations["softmax"] = {"input -> out", buildSoftmax};
}
