//===- AtSizes.cpp - a model in ranges at some of its sizes ---------------===//

#include "AtSizes.h"

#include "ConstantRules.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

AtSizes::AtSizes(ModuleOp model, ArrayRef<int64_t> values, const ConstantRules &rules)
    : sizes(model), values(values) {
  forEachConstant(model, [&](unsigned number, arith::ConstantOp op) {
    if (auto rule = rules.find(number); rule != rules.end())
      ruleOf[op] = &rule->second;
  });
}

int64_t AtSizes::of(int64_t number) const { return sizes.at(sizes.of(number), values); }

DenseElementsAttr AtSizes::of(arith::ConstantOp op) const {
  auto constant = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!constant)
    return {};
  ArrayRef<int64_t> shape = constant.getType().getShape();
  onnx::Numbers fixed = of(shape);
  if (const ConstantRule *rule = ruleOf.lookup(op))
    return elementsAt(*rule, fixed, sizes, values);
  if (constant.isSplat())
    return constant.resizeSplat(constant.getType().clone(fixed));
  bool fits = llvm::all_of(llvm::zip(fixed, shape), [](auto pair) { return std::get<0>(pair) <= std::get<1>(pair); });
  if (!fits || !storedElementSize(constant.getElementType()))
    return {};
  return onnx::gatherStrided(constant, fixed, 0, onnx::stridesOf(shape));
}

Attribute AtSizes::computed(Attribute number, Type type) const {
  std::optional<SizeNumber> found = SizeNumber::find(sizes, number);
  return found ? found->at(of(found->extent.number), type) : Attribute();
}

/// The operand of `op` if all of its elements come out, in their order. Importers write such operations in several
/// ways, or leave them out.
Value AtSizes::reshapedBy(Operation *op) const {
  auto count = [&](Value value) { return llvm::product_of(of(cast<RankedTensorType>(value.getType()).getShape())); };
  if (isa<tensor::ConcatOp>(op)) { // of which all but one may be empty
    auto all = llvm::find_if(op->getOperands(), [&](Value part) { return count(part) == count(op->getResult(0)); });
    return all == op->operand_end() || count(*all) == 0 ? Value() : *all;
  }
  if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ExtractSliceOp, linalg::BroadcastOp>(op))
    return {};
  return count(op->getOperand(0)) == count(op->getResult(0)) ? op->getOperand(0) : Value();
}

/// What is a constant at these sizes; one with equal elements may be broadcast.
DenseElementsAttr AtSizes::constantOf(Value value) const {
  onnx::Numbers shape = of(cast<ShapedType>(value.getType()).getShape());
  bool isView = true;
  while (auto op = value.getDefiningOp()) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      DenseElementsAttr elements = of(constant);
      if (elements && elements.isSplat()) {
        Attribute number = computed(elements, elements.getElementType());
        ShapedType type = elements.getType().clone(shape);
        return number ? DenseElementsAttr::get(type, number) : elements.resizeSplat(type);
      }
      return elements && isView ? elements.reshape(elements.getType().clone(shape)) : DenseElementsAttr();
    }
    Value view = reshapedBy(op);
    if (!view && !isa<linalg::BroadcastOp>(op))
      break;
    isView = isView && view;
    value = op->getOperand(0);
  }
  return {};
}

Value AtSizes::viewedBy(Operation *op) const {
  if (Value view = reshapedBy(op))
    return view;
  if (isa<linalg::BroadcastOp>(op) && constantOf(op->getResult(0)))
    return op->getOperand(0);
  if (auto select = dyn_cast<arith::SelectOp>(op); select && isa<RankedTensorType>(select.getCondition().getType())) {
    DenseElementsAttr condition = constantOf(select.getCondition());
    if (!condition || !condition.isSplat())
      return {};
    return condition.getSplatValue<bool>() ? select.getTrueValue() : select.getFalseValue();
  }
  if (!isa<arith::ArithDialect>(op->getDialect()) || op->getNumOperands() != 2 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return {};
  SmallVector<Attribute> constants;
  for (Value operand : op->getOperands())
    constants.push_back(constantOf(operand));
  if (bool(constants[0]) == bool(constants[1]))
    return {};
  // A copy, as folding may also change what it folds.
  Operation *copy = op->clone();
  if (constants[0] && copy->hasTrait<OpTrait::IsCommutative>()) { // upstream's folds expect it behind the other
    std::swap(constants[0], constants[1]);
    copy->setOperands({op->getOperand(1), op->getOperand(0)});
  }
  SmallVector<OpFoldResult> folded;
  bool isFolded = succeeded(copy->fold(constants, folded)) && folded.size() == 1;
  copy->destroy();
  return isFolded ? dyn_cast<Value>(folded.front()) : Value();
}
