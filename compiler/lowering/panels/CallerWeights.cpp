//===- CallerWeights.cpp - weights that a kernel's callers pass -----------===//

#include "CallerWeights.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace heddle;

FailureOr<SmallVector<OpOperand *>> heddle::findCallerWeights(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto func = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : func::FuncOp();
  if (!func || !func.isPrivate())
    return failure();
  std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(func, func->getParentOp());
  if (!uses || uses->empty())
    return failure();
  SmallVector<OpOperand *> weights;
  for (SymbolTable::SymbolUse use : *uses) {
    auto call = dyn_cast<func::CallOp>(use.getUser());
    if (!call || !call.getOperand(argument.getArgNumber()).getDefiningOp<WeightOp>())
      return failure();
    weights.push_back(&call->getOpOperand(argument.getArgNumber()));
  }
  return weights;
}

void heddle::extendCallerWeights(RewriterBase &rewriter, Value value, RankedTensorType type,
                                 function_ref<Attribute(func::CallOp)> step) {
  FailureOr<SmallVector<OpOperand *>> weights = findCallerWeights(value);
  for (OpOperand *operand : *weights) {
    auto weight = operand->get().getDefiningOp<WeightOp>();
    SmallVector<Attribute> steps(weight.getRecipe().begin(), weight.getRecipe().end());
    steps.push_back(step(cast<func::CallOp>(operand->getOwner())));
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(weight);
    Value replacement =
        WeightOp::create(rewriter, weight.getLoc(), type, weight.getNameAttr(), rewriter.getArrayAttr(steps));
    rewriter.modifyOpInPlace(operand->getOwner(), [&] { operand->set(replacement); });
    if (weight->use_empty())
      rewriter.eraseOp(weight);
  }
  auto argument = cast<BlockArgument>(value);
  auto func = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  SmallVector<Type> inputs(func.getFunctionType().getInputs());
  inputs[argument.getArgNumber()] = type;
  rewriter.modifyOpInPlace(func, [&] {
    func.setType(FunctionType::get(func.getContext(), inputs, func.getFunctionType().getResults()));
    argument.setType(type);
  });
}
