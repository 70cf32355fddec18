//===- Activation.cpp - activations of linear layers ----------------------===//
//
// Recognises an activation function that is applied to the result of a linear layer, starting at the last operation of
// the activation. The activation becomes part of the layer unless other operations use the layer's result or an
// intermediate value of the activation.
//
//===----------------------------------------------------------------------===//

#include "Activation.h"
#include "Recognisers.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

std::optional<MatchedActivation> heddle::matchRelu(Value value) {
  if (auto maximum = value.getDefiningOp<arith::MaximumFOp>()) {
    if (matchNumber(maximum.getRhs()) == 0.0)
      return MatchedActivation{Activation::Relu, maximum.getLhs(), {maximum}};
    if (matchNumber(maximum.getLhs()) == 0.0)
      return MatchedActivation{Activation::Relu, maximum.getRhs(), {maximum}};
  }
  // The select x < 0 ? 0 : x propagates NaN, as arith.maximumf does. The select x > 0 ? x : 0 replaces NaN by 0, so it
  // must not match.
  auto select = value.getDefiningOp<arith::SelectOp>();
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : arith::CmpFOp();
  if (!compare || matchNumber(compare.getRhs()) != 0.0)
    return std::nullopt;
  Value x = compare.getLhs(), whenTrue = select.getTrueValue(), whenFalse = select.getFalseValue();
  switch (compare.getPredicate()) {
  case arith::CmpFPredicate::OLT:
  case arith::CmpFPredicate::OLE:
    break;
  case arith::CmpFPredicate::UGT:
  case arith::CmpFPredicate::UGE:
    std::swap(whenTrue, whenFalse);
    break;
  default:
    return std::nullopt;
  }
  if (matchNumber(whenTrue) != 0.0 || whenFalse != x)
    return std::nullopt;
  return MatchedActivation{Activation::Relu, x, {select, compare}};
}

/// Matches `value` = 1 + exp(-x), adds its operations to `ops` and returns x.
static Value matchLogisticDivisor(Value value, SmallVectorImpl<Operation *> &ops) {
  auto shifted = matchShifted(value);
  auto exp = shifted && shifted->second == 1.0 ? shifted->first.getDefiningOp<math::ExpOp>() : math::ExpOp();
  auto scaled = exp ? matchScaled(exp.getOperand()) : std::nullopt;
  if (!scaled || scaled->second != -1.0)
    return {};
  ops.append({value.getDefiningOp(), exp, exp.getOperand().getDefiningOp()});
  return scaled->first;
}

std::optional<MatchedActivation> heddle::matchSilu(Value value) {
  MatchedActivation result{Activation::Silu, {}, {}};
  auto div = value.getDefiningOp<arith::DivFOp>();
  if (div) {
    result.ops.push_back(div);
    result.input = matchLogisticDivisor(div.getRhs(), result.ops);
    if (result.input && div.getLhs() == result.input)
      return result;
    return std::nullopt;
  }
  auto mul = value.getDefiningOp<arith::MulFOp>();
  if (!mul)
    return std::nullopt;
  for (auto [x, logistic] : {std::pair(mul.getLhs(), mul.getRhs()), std::pair(mul.getRhs(), mul.getLhs())}) {
    auto inverse = logistic.getDefiningOp<arith::DivFOp>();
    if (!inverse || matchNumber(inverse.getLhs()) != 1.0)
      continue;
    result.ops.assign({mul, inverse});
    result.input = matchLogisticDivisor(inverse.getRhs(), result.ops);
    if (result.input == x)
      return result;
  }
  return std::nullopt;
}

std::optional<MatchedActivation> heddle::matchTanh(Value value) {
  if (auto tanh = value.getDefiningOp<math::TanhOp>())
    return MatchedActivation{Activation::Tanh, tanh.getOperand(), {tanh}};
  return std::nullopt;
}

/// Returns the activation whose result is `value`, or nothing.
static std::optional<MatchedActivation> matchActivation(Value value) {
  for (auto match : {matchGeluTanh, matchGelu, matchSilu, matchRelu, matchTanh})
    if (std::optional<MatchedActivation> activation = match(value))
      return activation;
  return std::nullopt;
}

LogicalResult heddle::recogniseActivation(Operation *op, Recognition &recognition) {
  if (op->getNumResults() != 1 || !isa<RankedTensorType>(op->getResult(0).getType()))
    return failure();
  // matchActivation also matches a tanh that is part of GELU. For such a tanh, the check of `linear` below fails,
  // because the operand of tanh is not the result of a linear layer. GELU is recognised at its last product.
  std::optional<MatchedActivation> activation = matchActivation(op->getResult(0));
  if (!activation)
    return failure();
  Value hidden = activation->input;
  SmallVector<Operation *> reshapes;
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(hidden.getDefiningOp())) {
    reshapes.push_back(hidden.getDefiningOp());
    hidden = hidden.getDefiningOp()->getOperand(0);
  }
  auto linear = hidden.getDefiningOp<LinearOp>();
  if (!linear || linear.getActivation() != Activation::None || linear.getResidual())
    return failure();
  // A new layer with the activation replaces the linear layer. No other operation may use the old layer's result or an
  // intermediate value of the activation; otherwise the old operations would be computed in addition to the new layer.
  SmallVector<Operation *> inner = activation->ops;
  inner.append(reshapes);
  auto isPart = [&](Operation *user) { return llvm::is_contained(inner, user); };
  auto usedHereOnly = [&](Operation *part) { return part == op || llvm::all_of(part->getUsers(), isPart); };
  if (!usedHereOnly(linear) || !llvm::all_of(inner, usedHereOnly))
    return recognition.reject(
        op, "the linear layer's result, or an intermediate value of its activation, is also used elsewhere");

  IRRewriter &rewriter = recognition.rewriter;
  Location loc = op->getLoc();
  rewriter.setInsertionPoint(op);
  auto activated =
      LinearOp::create(rewriter, loc, linear.getType(), linear.getInput(), linear.getWeight(), linear.getBias(),
                       /*residual=*/Value(), linear.getOutlierChannels(), activation->kind, linear.getRoundingAttr());
  Value result = op->getResult(0);
  rewriter.replaceAllUsesWith(result, reshape(rewriter, loc, activated.getResult(),
                                              cast<RankedTensorType>(result.getType()).getShape()));
  return success();
}
