//===- Corners.cpp - what an import makes of other sizes ------------------===//

#include "Corners.h"

#include "AtSizes.h"
#include "ConstantRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

namespace {
class Comparison {
public:
  Comparison(ModuleOp model, ArrayRef<int64_t> values, ModuleOp fixed, const ConstantRules &rules, SeeConstant see)
      : at(model, values, rules), atFixed(fixed, {}, {}), rules(rules), see(see) {
    forEachConstant(model, [&](unsigned number, arith::ConstantOp op) { numbers[op] = number; });
  }

  bool isSame(Type mine, Type theirs);
  bool isSame(Attribute mine, Attribute theirs);
  LogicalResult compare(Operation *mine, Operation *theirs);

private:
  bool isSame(int64_t mine, int64_t theirs) { return at.of(mine) == theirs; }
  template <typename Range>
  bool areSame(Range mine, Range theirs) {
    auto isEachSame = [&](auto pair) { return isSame(std::get<0>(pair), std::get<1>(pair)); };
    return mine.size() == theirs.size() && llvm::all_of(llvm::zip(mine, theirs), isEachSame);
  }

  LogicalResult compare(Block &mine, Block &other);
  LogicalResult compareOperands(Operation *mine, Operation *theirs);
  bool isSameConstant(arith::ConstantOp mine, arith::ConstantOp theirs);
  bool isSameOperand(Value mine, Value other);
  bool areSameElements(Value mine, Value other);
  bool isSameBroadcast(Operation *mine, Operation *theirs);
  bool isSameWithoutBatch(Operation *mine, Operation *theirs);

  AtSizes at, atFixed;
  const ConstantRules &rules;
  SeeConstant see;
  llvm::DenseMap<Operation *, unsigned> numbers; // of constants
  llvm::DenseMap<Value, Value> theirValue; // of views, those of what they are views of
};
} // namespace

bool Comparison::isSame(Type mine, Type theirs) {
  if (auto tensor = dyn_cast<RankedTensorType>(mine), other = dyn_cast<RankedTensorType>(theirs); tensor && other)
    return tensor.getElementType() == other.getElementType() && areSame(tensor.getShape(), other.getShape());
  if (auto function = dyn_cast<FunctionType>(mine), other = dyn_cast<FunctionType>(theirs); function && other)
    return areSame(function.getInputs(), other.getInputs()) && areSame(function.getResults(), other.getResults());
  return mine == theirs;
}

bool Comparison::isSame(Attribute mine, Attribute theirs) {
  if (!mine || !theirs)
    return !mine && !theirs;
  if (auto type = dyn_cast<TypeAttr>(mine), other = dyn_cast<TypeAttr>(theirs); type && other)
    return isSame(type.getValue(), other.getValue());
  if (auto list = dyn_cast<ArrayAttr>(mine), other = dyn_cast<ArrayAttr>(theirs); list && other)
    return areSame(list.getValue(), other.getValue());
  if (auto numbers = dyn_cast<DenseI64ArrayAttr>(mine), other = dyn_cast<DenseI64ArrayAttr>(theirs); numbers && other)
    return numbers == other || areSame(numbers.asArrayRef(), other.asArrayRef());
  if (auto number = dyn_cast<IntegerAttr>(mine), other = dyn_cast<IntegerAttr>(theirs); number && other)
    return number == other || (number.getType() == other.getType() && !number.getType().isInteger(1) &&
                               isSame(number.getValue().getSExtValue(), other.getValue().getSExtValue()));
  if (auto elements = dyn_cast<DenseElementsAttr>(mine), other = dyn_cast<DenseElementsAttr>(theirs); elements && other)
    return isSame(elements.getType(), other.getType()) &&
           (elements == other || (elements.isSplat() && other.isSplat() &&
                                  elements.getSplatValue<Attribute>() == other.getSplatValue<Attribute>()));
  if (auto dictionary = dyn_cast<DictionaryAttr>(mine), other = dyn_cast<DictionaryAttr>(theirs); dictionary && other)
    return dictionary.size() == other.size() && llvm::all_of(dictionary, [&](NamedAttribute entry) {
             return isSame(entry.getValue(), other.get(entry.getName()));
           });
  return mine == theirs;
}

static LogicalResult differs(Operation *op) {
  InFlightDiagnostic error = op->emitError();
  if (auto name = op->getLoc()->findInstanceOf<NameLoc>(); name && !name.getName().empty())
    error << name.getName().getValue() << ": ";
  else if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>(); place && place.getLine() > 0)
    error << "line " << place.getLine() << ": ";
  return error << "'" << op->getName() << "' is something else for other sizes that lie in the range";
}

/// A batch of one is left out by importers: a product of matrices, and what fills its result.
bool Comparison::isSameWithoutBatch(Operation *mine, Operation *theirs) {
  bool isProduct = isa<linalg::BatchMatmulOp>(mine) && isa<linalg::MatmulOp>(theirs);
  if (!isProduct && !(isa<linalg::FillOp>(mine) && isa<linalg::FillOp>(theirs)))
    return false;
  auto isSameType = [&](Value one, Value other) {
    auto type = dyn_cast<RankedTensorType>(one.getType()), otherType = dyn_cast<RankedTensorType>(other.getType());
    if (!type || !otherType)
      return one.getType() == other.getType();
    onnx::Numbers shape = at.of(type.getShape());
    return type.getElementType() == otherType.getElementType() && !shape.empty() && shape.front() == 1 &&
           ArrayRef(shape).drop_front() == otherType.getShape();
  };
  auto isSame = [&](auto pair) {
    auto [one, other] = pair;
    return isSameType(one, other) && areSameElements(one, other);
  };
  return isSameType(mine->getResult(0), theirs->getResult(0)) &&
         llvm::all_of(llvm::zip_equal(mine->getOperands(), theirs->getOperands()), isSame);
}

LogicalResult Comparison::compare(Operation *mine, Operation *theirs) {
  if (isSameWithoutBatch(mine, theirs)) {
    theirValue[mine->getResult(0)] = theirs->getResult(0);
    return success();
  }
  if (mine->getName() != theirs->getName() || !areSame(mine->getResultTypes(), theirs->getResultTypes()) ||
      mine->getNumOperands() != theirs->getNumOperands() || mine->getNumRegions() != theirs->getNumRegions())
    return differs(mine);
  if (!isSameBroadcast(mine, theirs)) {
    if (failed(compareOperands(mine, theirs)))
      return failure();
    if (!isSame(mine->getAttrDictionary(), theirs->getAttrDictionary()))
      return differs(mine);
  }
  for (auto [result, other] : llvm::zip(mine->getResults(), theirs->getResults()))
    theirValue[result] = other;
  for (auto [region, other] : llvm::zip(mine->getRegions(), theirs->getRegions())) {
    if (region.getBlocks().size() != other.getBlocks().size())
      return differs(mine);
    for (auto [block, otherBlock] : llvm::zip(region, other))
      if (failed(compare(block, otherBlock)))
        return failure();
  }
  return success();
}

/// What the rule of a constant says; without one the same numbers, numbers of sizes, or the beginning.
bool Comparison::isSameConstant(arith::ConstantOp mine, arith::ConstantOp theirs) {
  bool hasRule = rules.count(numbers.lookup(mine));
  if (!hasRule && isSame(mine.getValue(), theirs.getValue()))
    return true;
  auto elements = dyn_cast<DenseElementsAttr>(mine.getValue()), other = dyn_cast<DenseElementsAttr>(theirs.getValue());
  Type element = getElementTypeOrSelf(mine.getType());
  if (Attribute number = at.computed(mine.getValue(), element))
    if (number == (other && other.isSplat() ? other.getSplatValue<Attribute>() : theirs.getValue()))
      return true;
  if (!elements || !other || element != other.getElementType() || !storedElementSize(element))
    return false;
  DenseElementsAttr expected = hasRule || !see ? at.of(mine) : DenseElementsAttr();
  if (expected && expected.isSplat() && other.isSplat()) // and broadcast to any shape
    return expected.getSplatValue<Attribute>() == other.getSplatValue<Attribute>();
  // Reshapes of constants fold, broadcasts not: a mask has one dimension more where there is one batch.
  onnx::Numbers fixed = at.of(elements.getType().getShape());
  auto withoutOnes = [](ArrayRef<int64_t> shape) {
    return llvm::to_vector(llvm::make_filter_range(shape, [](int64_t extent) { return extent != 1; }));
  };
  if (withoutOnes(fixed) != withoutOnes(other.getType().getShape()))
    return false;
  other = other.reshape(other.getType().clone(fixed));
  return (expected && onnx::bytesOf(expected) == onnx::bytesOf(other)) ||
         (see && see(numbers.lookup(mine), elements, other));
}

static Value elementsOf(Value value, const AtSizes &at) {
  while (Operation *op = value.getDefiningOp()) {
    Value viewed = at.viewedBy(op);
    if (!viewed)
      break;
    value = viewed;
  }
  return value;
}

bool Comparison::isSameOperand(Value mine, Value other) {
  return isSame(mine.getType(), other.getType()) && areSameElements(mine, other);
}

/// Whether both are the same whatever reshapes lie between.
bool Comparison::areSameElements(Value mine, Value other) {
  Value elements = elementsOf(mine, at);
  Value otherElements = elementsOf(other, atFixed);
  Operation *from = elements.getDefiningOp(), *otherFrom = otherElements.getDefiningOp();
  if (isa_and_present<tensor::EmptyOp>(from) && isa_and_present<tensor::EmptyOp>(otherFrom))
    return true;
  auto constant = dyn_cast_or_null<arith::ConstantOp>(from);
  auto otherConstant = dyn_cast_or_null<arith::ConstantOp>(otherFrom);
  if (constant && otherConstant)
    return isSameConstant(constant, otherConstant);
  Value known = theirValue.lookup(elements);
  return known && known == otherElements;
}

/// Broadcasts to the same shape: where a size is 1, that dimension is as well one of what is broadcast.
bool Comparison::isSameBroadcast(Operation *mine, Operation *theirs) {
  auto op = dyn_cast<linalg::BroadcastOp>(mine), other = dyn_cast<linalg::BroadcastOp>(theirs);
  if (!op || !other)
    return false;
  ArrayRef<int64_t> shape = other.getInit().getType().getShape();
  auto added = [&](linalg::BroadcastOp op) {
    return llvm::to_vector(llvm::make_filter_range(op.getDimensions(), [&](int64_t dim) { return shape[dim] != 1; }));
  };
  return added(op) == added(other) && areSameElements(op.getInput(), other.getInput());
}

LogicalResult Comparison::compareOperands(Operation *mine, Operation *theirs) {
  SmallVector<Value> operands(mine->getOperands()), others(theirs->getOperands());
  auto areAllSame = [&] {
    return llvm::all_of(llvm::zip(operands, others),
                        [&](auto pair) { return isSameOperand(std::get<0>(pair), std::get<1>(pair)); });
  };
  if (areAllSame())
    return success();
  // Folding puts constants behind what is none, and at size 1 a broadcast is a constant.
  if (operands.size() == 2 && mine->hasTrait<OpTrait::IsCommutative>()) {
    std::swap(operands[0], operands[1]);
    if (areAllSame())
      return success();
  }
  return differs(mine);
}

/// The operations that results depend on, without views and constants.
static SmallVector<Operation *> findComputing(Block &block, const AtSizes &at) {
  llvm::DenseSet<Operation *> needed{block.getTerminator()};
  SmallVector<Operation *> ops;
  for (Operation &op : llvm::reverse(block)) {
    if (!needed.contains(&op))
      continue;
    op.walk([&](Operation *user) {
      for (Value operand : user->getOperands())
        if (Operation *from = elementsOf(operand, at).getDefiningOp())
          needed.insert(from);
    });
    if (!isa<tensor::EmptyOp, arith::ConstantOp>(op))
      ops.push_back(&op);
  }
  return llvm::to_vector(llvm::reverse(ops));
}

LogicalResult Comparison::compare(Block &mine, Block &other) {
  if (!areSame(mine.getArgumentTypes(), other.getArgumentTypes()))
    return differs(mine.getParentOp());
  for (auto [argument, otherArgument] : llvm::zip(mine.getArguments(), other.getArguments()))
    theirValue[argument] = otherArgument;
  SmallVector<Operation *> ops = findComputing(mine, at);
  SmallVector<Operation *> others = findComputing(other, atFixed);
  for (auto [op, other] : llvm::zip(ops, others))
    if (failed(compare(op, other)))
      return failure();
  return ops.size() == others.size() ? success() : differs(mine.getParentOp());
}

LogicalResult heddle::isSameAt(ModuleOp model, ArrayRef<int64_t> values, ModuleOp fixed, const ConstantRules &rules,
                               SeeConstant see) {
  auto main = model.lookupSymbol<func::FuncOp>("main"), other = fixed.lookupSymbol<func::FuncOp>("main");
  return Comparison(model, values, fixed, rules, see).compare(main, other);
}
