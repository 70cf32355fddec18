//===- Corners.cpp - what an import makes of other sizes ------------------===//

#include "Corners.h"

#include "Notes.h"
#include "Sizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace heddle;

namespace {
class Comparison {
public:
  Comparison(ModuleOp model, ArrayRef<int64_t> values) : sizes(model), values(values) {}

  bool isSame(Type mine, Type theirs);
  bool isSame(Attribute mine, Attribute theirs);
  LogicalResult compare(Operation *mine, Operation *theirs);

private:
  bool isSame(int64_t mine, int64_t theirs);
  bool isSame(ArrayRef<int64_t> mine, ArrayRef<int64_t> theirs) {
    return mine.size() == theirs.size() &&
           llvm::all_of(llvm::zip(mine, theirs), [&](auto pair) { return isSame(std::get<0>(pair), std::get<1>(pair)); });
  }
  template <typename Range>
  bool areSame(Range mine, Range theirs) {
    return mine.size() == theirs.size() &&
           llvm::all_of(llvm::zip(mine, theirs), [&](auto pair) { return isSame(std::get<0>(pair), std::get<1>(pair)); });
  }

  Sizes sizes;
  ArrayRef<int64_t> values;
  llvm::DenseMap<Value, Value> theirValue;
};
} // namespace

bool Comparison::isSame(int64_t mine, int64_t theirs) {
  Extent extent = sizes.of(mine);
  int64_t product = extent.factor;
  for (StringRef name : extent.sizes)
    for (auto [range, value] : llvm::zip_equal(sizes.all(), values))
      if (range.name == name)
        product *= value;
  return mine == theirs || product == theirs;
}

bool Comparison::isSame(Type mine, Type theirs) {
  if (mine == theirs)
    return true;
  auto tensor = dyn_cast<RankedTensorType>(mine), other = dyn_cast<RankedTensorType>(theirs);
  if (tensor && other)
    return tensor.getElementType() == other.getElementType() && isSame(tensor.getShape(), other.getShape());
  auto function = dyn_cast<FunctionType>(mine), otherFunction = dyn_cast<FunctionType>(theirs);
  return function && otherFunction && areSame(function.getInputs(), otherFunction.getInputs()) &&
         areSame(function.getResults(), otherFunction.getResults());
}

bool Comparison::isSame(Attribute mine, Attribute theirs) {
  if (mine == theirs)
    return true;
  if (!mine || !theirs)
    return false;
  if (auto type = dyn_cast<TypeAttr>(mine), other = dyn_cast<TypeAttr>(theirs); type && other)
    return isSame(type.getValue(), other.getValue());
  if (auto list = dyn_cast<ArrayAttr>(mine), other = dyn_cast<ArrayAttr>(theirs); list && other)
    return areSame(list.getValue(), other.getValue());
  if (auto numbers = dyn_cast<DenseI64ArrayAttr>(mine), other = dyn_cast<DenseI64ArrayAttr>(theirs); numbers && other)
    return isSame(numbers.asArrayRef(), other.asArrayRef());
  if (auto number = dyn_cast<IntegerAttr>(mine), other = dyn_cast<IntegerAttr>(theirs); number && other)
    return number.getType() == other.getType() && !number.getType().isInteger(1) &&
           isSame(number.getValue().getSExtValue(), other.getValue().getSExtValue());
  if (auto elements = dyn_cast<DenseElementsAttr>(mine), other = dyn_cast<DenseElementsAttr>(theirs); elements && other)
    return isSame(elements.getType(), other.getType()) && elements.isSplat() && other.isSplat() &&
           elements.getSplatValue<Attribute>() == other.getSplatValue<Attribute>();
  if (auto dictionary = dyn_cast<DictionaryAttr>(mine), other = dyn_cast<DictionaryAttr>(theirs); dictionary && other)
    return dictionary.size() == other.size() && llvm::all_of(dictionary, [&](NamedAttribute entry) {
             return entry.getName() == notes::sizes.name || isSame(entry.getValue(), other.get(entry.getName()));
           });
  return false;
}

LogicalResult Comparison::compare(Operation *mine, Operation *theirs) {
  auto differs = [&] { return mine->emitError() << "is something else for other sizes that lie in the range"; };
  if (mine->getName() != theirs->getName() || !areSame(mine->getResultTypes(), theirs->getResultTypes()) ||
      mine->getNumOperands() != theirs->getNumOperands() || mine->getNumRegions() != theirs->getNumRegions())
    return differs();
  for (auto [operand, other] : llvm::zip(mine->getOperands(), theirs->getOperands()))
    if (theirValue.lookup(operand) != other)
      return differs();
  // The module itself has the note of the sizes, which the other lacks.
  if (!isa<ModuleOp>(mine) && !isSame(mine->getAttrDictionary(), theirs->getAttrDictionary()))
    return differs();
  for (auto [result, other] : llvm::zip(mine->getResults(), theirs->getResults()))
    theirValue[result] = other;
  for (auto [region, other] : llvm::zip(mine->getRegions(), theirs->getRegions())) {
    if (region.getBlocks().size() != other.getBlocks().size())
      return differs();
    for (auto [block, otherBlock] : llvm::zip(region, other)) {
      if (!areSame(block.getArgumentTypes(), otherBlock.getArgumentTypes()) ||
          block.getOperations().size() != otherBlock.getOperations().size())
        return differs();
      for (auto [argument, otherArgument] : llvm::zip(block.getArguments(), otherBlock.getArguments()))
        theirValue[argument] = otherArgument;
      for (auto [op, otherOp] : llvm::zip(block, otherBlock))
        if (failed(compare(&op, &otherOp)))
          return failure();
    }
  }
  return success();
}

LogicalResult heddle::isSameAt(ModuleOp model, ArrayRef<int64_t> values, ModuleOp fixed) {
  return Comparison(model, values).compare(model, fixed);
}

LogicalResult heddle::hasSameInterfaceAt(ModuleOp model, ArrayRef<int64_t> values, ModuleOp fixed) {
  auto mine = model.lookupSymbol<func::FuncOp>("main"), theirs = fixed.lookupSymbol<func::FuncOp>("main");
  if (Comparison(model, values).isSame(mine.getFunctionType(), theirs.getFunctionType()))
    return success();
  return mine.emitError() << "its inputs and outputs are others for the least sizes of the range: "
                          << theirs.getFunctionType();
}
