//===- Ffn.cpp - two linear layers and an activation ----------------------===//
//
// Recognises an FFN, which is down(activation(up(x))) or, in the gated form,
// down(activation(gate(x)) * up(x)). Starts at the last linear layer.
//
//===----------------------------------------------------------------------===//
#include "Match.h"
#include "Recognisers.h"

#include "Heddle.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

/// Follows reshapes backwards from `value` and returns their source. Returns null if the source, `value` or a value in
/// between has several uses.
static Value peelOnlyUse(Value value) {
  while (value.hasOneUse() && isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value.hasOneUse() ? value : Value();
}

/// Returns whether the last dimensions of `a` and `b` are equal. If so, reshapes between them do not change rows.
static bool haveSameWidth(Value a, Value b) {
  ArrayRef<int64_t> one = cast<RankedTensorType>(a.getType()).getShape();
  ArrayRef<int64_t> other = cast<RankedTensorType>(b.getType()).getShape();
  return !one.empty() && !other.empty() && one.back() == other.back();
}

/// Returns the linear layer that computes `value` (through reshapes), or null if there is none or if this layer cannot
/// be the first layer of an FFN.
static LinearOp hiddenLayer(Value value) {
  Value hidden = peelOnlyUse(value);
  auto linear = hidden ? hidden.getDefiningOp<LinearOp>() : LinearOp();
  return linear && !linear.getResidual() && !linear.getRounding() && haveSameWidth(linear, value) ? linear : LinearOp();
}

/// Matches `value` = activation(gate) * up, where the linear layers `gate` and `up` have the same input. Returns `gate`
/// and `up`, or nulls.
static std::pair<LinearOp, LinearOp> matchGated(Value value) {
  Value product = peelOnlyUse(value);
  auto mul = product ? product.getDefiningOp<arith::MulFOp>() : arith::MulFOp();
  if (!mul || !haveSameWidth(mul.getResult(), value))
    return {};
  LinearOp first = hiddenLayer(mul.getLhs()), second = hiddenLayer(mul.getRhs());
  if (!first || !second || first.getInput() != second.getInput())
    return {};
  if (first.getActivation() == Activation::None)
    std::swap(first, second);
  if (first.getActivation() == Activation::None || second.getActivation() != Activation::None)
    return {};
  return {first, second};
}

LogicalResult heddle::recogniseFfn(Operation *op, Recognition &recognition) {
  auto down = dyn_cast<LinearOp>(op);
  if (!down || down.getActivation() != Activation::None || down.getRounding())
    return failure();
  LinearOp gate, up = hiddenLayer(down.getInput());
  if (!up)
    std::tie(gate, up) = matchGated(down.getInput());
  if (!up)
    return failure();
  Activation activation = gate ? gate.getActivation() : up.getActivation();
  if (activation == Activation::None)
    return recognition.reject(op, "two linear layers without an activation between them");

  IRRewriter &rewriter = recognition.rewriter;
  rewriter.setInsertionPoint(op);
  Location loc = op->getLoc();
  Value input = up.getInput();
  SmallVector<int64_t> shape(cast<RankedTensorType>(input.getType()).getShape());
  ArrayRef<int64_t> resultShape = cast<RankedTensorType>(down.getType()).getShape();
  shape.back() = resultShape.back();
  Value residual = down.getResidual();
  if (residual)
    residual = reshape(rewriter, loc, residual, shape);
  auto ffn = FfnOp::create(rewriter, loc, cast<RankedTensorType>(down.getType()).clone(shape), input, up.getWeight(),
                           down.getWeight(), up.getBias(), down.getBias(), gate ? gate.getWeight() : Value(),
                           gate ? gate.getBias() : Value(), residual, activation);
  rewriter.replaceAllUsesWith(down.getResult(), reshape(rewriter, loc, ffn.getResult(), resultShape));
  return success();
}
