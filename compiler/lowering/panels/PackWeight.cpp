//===- PackWeight.cpp - transform.heddle.pack_weight ----------------------===//

#include "Heddle.h"
#include "TransformOps.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace heddle;

/// The heddle.weight that each caller passes for the argument, or nothing where one
/// passes something else or the function may have callers that we do not see.
static FailureOr<SmallVector<OpOperand *>> findWeights(func::FuncOp func, unsigned argument) {
  if (!func.isPrivate())
    return failure();
  std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(func, func->getParentOp());
  if (!uses || uses->empty())
    return failure();
  SmallVector<OpOperand *> weights;
  for (SymbolTable::SymbolUse use : *uses) {
    auto call = dyn_cast<func::CallOp>(use.getUser());
    if (!call || !call.getOperand(argument).getDefiningOp<WeightOp>())
      return failure();
    weights.push_back(&call->getOpOperand(argument));
  }
  return weights;
}

DiagnosedSilenceableFailure transforms::PackWeightOp::applyToOne(transform::TransformRewriter &rewriter,
                                                                 Operation *target,
                                                                 transform::TransformState &state) {
  auto linear = dyn_cast<LinearOp>(target);
  if (!linear)
    return emitDefiniteFailure("packs the weight of heddle.linear, found ") << target->getName();
  FailureOr<int64_t> panel = getInteger(state, getPanel());
  if (failed(panel) || *panel <= 0)
    return emitDefiniteFailure("expects a positive integer as panel");
  int64_t abreast = 1;
  if (!getShared().empty()) {
    if (getShared().size() != 2)
      return emitDefiniteFailure("expects as shared a number of panels and their columns");
    FailureOr<int64_t> number = getInteger(state, getShared()[0]), width = getInteger(state, getShared()[1]);
    if (failed(number) || *number < 0 || failed(width) || *width <= 0)
      return emitDefiniteFailure("expects as shared an integer from 0 on and a positive one");
    if (*number) {
      abreast = *number;
      panel = width;
    }
  }
  Value stored = storedValue(linear.getWeight());
  auto argument = dyn_cast<BlockArgument>(stored);
  auto func = linear->getParentOfType<func::FuncOp>();
  auto type = cast<RankedTensorType>(stored.getType());
  if (!argument || argument.getOwner() != &func.front() || !argument.hasOneUse() ||
      !linear.getWeight().hasOneUse() || type.getRank() != 2 || !type.hasStaticShape())
    return DiagnosedSilenceableFailure::success();
  FailureOr<SmallVector<OpOperand *>> weights = findWeights(func, argument.getArgNumber());
  if (failed(weights))
    return DiagnosedSilenceableFailure::success();

  auto step = PackStepAttr::get(getContext(), *panel, abreast, /*depth=*/1);
  RankedTensorType packed =
      RankedTensorType::get(step.packedShape(type.getDimSize(0), type.getDimSize(1)), type.getElementType());
  for (OpOperand *operand : *weights) {
    auto weight = operand->get().getDefiningOp<WeightOp>();
    SmallVector<Attribute> steps(weight.getRecipe().begin(), weight.getRecipe().end());
    steps.push_back(step);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(weight);
    Value replacement = WeightOp::create(rewriter, weight.getLoc(), packed, weight.getNameAttr(),
                                         rewriter.getArrayAttr(steps));
    rewriter.modifyOpInPlace(operand->getOwner(), [&] { operand->set(replacement); });
    if (weight->use_empty())
      rewriter.eraseOp(weight);
  }
  SmallVector<Type> inputs(func.getFunctionType().getInputs());
  inputs[argument.getArgNumber()] = packed;
  rewriter.modifyOpInPlace(func, [&] {
    func.setType(FunctionType::get(getContext(), inputs, func.getFunctionType().getResults()));
    argument.setType(packed);
    if (stored != linear.getWeight())
      linear.getWeight().setType(packed.clone(getElementTypeOrSelf(linear.getWeight())));
  });
  return DiagnosedSilenceableFailure::success();
}
