//===- Edits.cpp - edits that reduce a module -----------------------------===//

#include "Edits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;

/// Keeps only result `number` of the function.
static Edited keepResult(func::FuncOp main, unsigned number) {
  unsigned results = main.getNumResults();
  if (results == 1 || number == results)
    return Edited::End;
  llvm::BitVector others(results, true);
  others.reset(number);
  Operation *end = main.front().getTerminator();
  Value kept = end->getOperand(number);
  end->setOperands(kept);
  (void)main.eraseResults(others);
  return Edited::Done;
}

/// Replaces a result of the function by an operand of the operation that computes it.
static Edited stopEarlier(func::FuncOp main, unsigned number) {
  Operation *end = main.front().getTerminator();
  for (OpOperand &result : end->getOpOperands())
    if (Operation *last = result.get().getDefiningOp())
      for (Value operand : last->getOperands()) {
        if (!isa<RankedTensorType>(operand.getType()) || number-- > 0)
          continue;
        result.set(operand);
        main.setType(FunctionType::get(main.getContext(), main.getArgumentTypes(), end->getOperandTypes()));
        return Edited::Done;
      }
  return Edited::End;
}

/// Returns the operations of the function that have results, from last to first, except tensor.empty, scalar constants,
/// and constants whose elements are all equal.
static SmallVector<Operation *> steps(func::FuncOp main) {
  SmallVector<Operation *> found;
  for (Operation &op : llvm::reverse(main.front().without_terminator())) {
    DenseElementsAttr constant;
    if (auto made = dyn_cast<arith::ConstantOp>(op))
      constant = dyn_cast<DenseElementsAttr>(made.getValue());
    if (op.getNumResults() && !isa<tensor::EmptyOp>(op) && (!isa<arith::ConstantOp>(op) || (constant && !constant.isSplat())))
      found.push_back(&op);
  }
  return found;
}

/// Replaces the results of an operation by new arguments of the function. Operations that only this operation used
/// become dead code.
static Edited cutStep(func::FuncOp main, unsigned number) {
  SmallVector<Operation *> all = steps(main);
  if (number >= all.size())
    return Edited::End;
  for (Value result : all[number]->getResults()) {
    if (!isa<RankedTensorType>(result.getType()))
      return Edited::Nothing;
    unsigned last = main.getNumArguments();
    if (failed(main.insertArgument(last, result.getType(), {}, main.getLoc())))
      return Edited::Nothing;
    result.replaceAllUsesWith(main.getArgument(last));
  }
  return Edited::Done;
}

/// Replaces the result of an operation by one of its operands.
static Edited skipStep(func::FuncOp main, unsigned number) {
  for (Operation *step : steps(main))
    for (Value operand : step->getOperands()) {
      if (step->getNumResults() != 1 || operand.getType() != step->getResult(0).getType() || number-- > 0)
        continue;
      step->getResult(0).replaceAllUsesWith(operand);
      return Edited::Done;
    }
  return Edited::End;
}

/// Replaces a constant by a splat of its first element.
static Edited splatConstant(func::FuncOp main, unsigned number) {
  for (auto constant : main.getOps<arith::ConstantOp>()) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!elements || elements.isSplat() || number-- > 0)
      continue;
    constant.setValueAttr(DenseElementsAttr::get(elements.getType(), *elements.value_begin<Attribute>()));
    return Edited::Done;
  }
  return Edited::End;
}

/// Replaces all float types by f32. This is the only edit of its family.
static Edited widenTypes(func::FuncOp main, unsigned number) {
  bool others = false;
  main.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      others |= isa<FloatType>(getElementTypeOrSelf(type)) && !getElementTypeOrSelf(type).isF32();
  });
  if (!others || number > 0)
    return Edited::End;
  Type f32 = Float32Type::get(main.getContext());
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](FloatType) { return f32; });
  replacer.addReplacement([&](DenseElementsAttr elements) -> std::optional<std::pair<Attribute, WalkResult>> {
    if (!isa<FloatType>(elements.getElementType()))
      return std::nullopt;
    SmallVector<Attribute> values;
    for (FloatAttr value : elements.getValues<FloatAttr>())
      values.push_back(FloatAttr::get(f32, value.getValueAsDouble()));
    return std::pair<Attribute, WalkResult>(DenseElementsAttr::get(elements.getType().clone(f32), values),
                                            WalkResult::skip());
  });
  // Float attributes, which are knobs of operations, keep their type.
  replacer.addReplacement([](FloatAttr number) { return std::pair<Attribute, WalkResult>(number, WalkResult::skip()); });
  main.walk([&](arith::ConstantOp constant) {
    if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
      constant.setValueAttr(FloatAttr::get(f32, number.getValueAsDouble()));
  });
  replacer.recursivelyReplaceElementsIn(main, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
  return Edited::Done;
}

llvm::ArrayRef<EditFamily> editFamilies() {
  static const EditFamily all[] = {keepResult, stopEarlier, cutStep, skipStep, dropKnob, splatConstant, shrinkExtent, widenTypes};
  return all;
}
