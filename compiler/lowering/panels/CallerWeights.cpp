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

/// The weight that the operand is, through one more step.
static Value emitExtended(RewriterBase &rewriter, OpOperand &operand, Attribute step, RankedTensorType type) {
  auto weight = operand.get().getDefiningOp<WeightOp>();
  SmallVector<Attribute> steps(weight.getRecipe().begin(), weight.getRecipe().end());
  steps.push_back(step);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(weight);
  return WeightOp::create(rewriter, weight.getLoc(), type, weight.getNameAttr(), rewriter.getArrayAttr(steps));
}

void heddle::extendCallerWeights(RewriterBase &rewriter, BlockArgument argument, ArrayRef<OpOperand *> operands,
                                 Attribute step, RankedTensorType type) {
  for (OpOperand *operand : operands) {
    auto weight = operand->get().getDefiningOp<WeightOp>();
    Value replacement = emitExtended(rewriter, *operand, step, type);
    rewriter.modifyOpInPlace(operand->getOwner(), [&] { operand->set(replacement); });
    if (weight->use_empty())
      rewriter.eraseOp(weight);
  }
  auto func = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  SmallVector<Type> inputs(func.getFunctionType().getInputs());
  inputs[argument.getArgNumber()] = type;
  rewriter.modifyOpInPlace(func, [&] {
    func.setType(FunctionType::get(func.getContext(), inputs, func.getFunctionType().getResults()));
    argument.setType(type);
  });
}

BlockArgument heddle::addCallerWeight(RewriterBase &rewriter, BlockArgument argument, Attribute step,
                                      RankedTensorType type) {
  auto func = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  unsigned place = argument.getArgNumber() + 1;
  for (OpOperand *operand : *findCallerWeights(argument)) {
    Value weight = emitExtended(rewriter, *operand, step, type);
    Operation *call = operand->getOwner();
    rewriter.modifyOpInPlace(call, [&] { call->insertOperands(place, weight); });
  }
  rewriter.modifyOpInPlace(func, [&] {
    DictionaryAttr notes = func.getArgAttrDict(argument.getArgNumber());
    [[maybe_unused]] LogicalResult inserted = func.insertArgument(place, type, notes, argument.getLoc());
    assert(succeeded(inserted) && "a kernel has a body");
  });
  return func.getArgument(place);
}
