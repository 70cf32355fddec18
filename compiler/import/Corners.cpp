//===- Corners.cpp - what an import makes of other sizes ------------------===//

#include "Corners.h"

#include "Tables.h"

#include "Notes.h"
#include "Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

namespace {
class Comparison {
public:
  Comparison(ModuleOp model, ArrayRef<int64_t> values, ConstantTables *tables = nullptr)
      : sizes(model), values(values), tables(tables) {}

  bool isSame(Type mine, Type theirs);
  bool isSame(Attribute mine, Attribute theirs);
  LogicalResult compare(Operation *mine, Operation *theirs);

private:
  int64_t atValues(int64_t mine) const;
  bool isSame(int64_t mine, int64_t theirs) { return atValues(mine) == theirs; }
  template <typename Range>
  bool areSame(Range mine, Range theirs) {
    auto isEachSame = [&](auto pair) { return isSame(std::get<0>(pair), std::get<1>(pair)); };
    return mine.size() == theirs.size() && llvm::all_of(llvm::zip(mine, theirs), isEachSame);
  }

  LogicalResult compare(Block &mine, Block &theirs);
  bool isIdentity(Operation *mine, Operation *theirs);
  bool begins(Operation *mine, Operation *theirs);

  Sizes sizes;
  ArrayRef<int64_t> values;
  ConstantTables *tables;
  unsigned constants = 0; // so far
  llvm::DenseMap<Value, Value> theirValue;
};
} // namespace

/// A number of the model that is a multiple of the prime by chance becomes another.
int64_t Comparison::atValues(int64_t mine) const {
  Extent extent = sizes.of(mine);
  int64_t product = extent.factor;
  for (StringRef name : extent.sizes)
    for (auto [range, value] : llvm::zip_equal(sizes.all(), values))
      if (range.name == name)
        product *= value;
  return product;
}

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
             return entry.getName() == notes::sizes.name || isSame(entry.getValue(), other.get(entry.getName()));
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

LogicalResult Comparison::compare(Operation *mine, Operation *theirs) {
  if (mine->getName() != theirs->getName() || !areSame(mine->getResultTypes(), theirs->getResultTypes()) ||
      mine->getNumOperands() != theirs->getNumOperands() || mine->getNumRegions() != theirs->getNumRegions())
    return differs(mine);
  for (auto [operand, other] : llvm::zip(mine->getOperands(), theirs->getOperands()))
    if (theirValue.lookup(operand) != other)
      return differs(mine);
  // The module itself has the note of the sizes, which the other lacks.
  if (!isa<ModuleOp>(mine) && !isSame(mine->getAttrDictionary(), theirs->getAttrDictionary()) && !begins(mine, theirs))
    return differs(mine);
  constants += isa<arith::ConstantOp>(mine);
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

/// Whether one constant is the beginning of the other.
bool Comparison::begins(Operation *mine, Operation *theirs) {
  DenseElementsAttr elements, other;
  if (!matchPattern(mine, m_Constant(&elements)) || !matchPattern(theirs, m_Constant(&other)) ||
      !agree(elements, other))
    return false;
  auto fits = [](auto pair) { return std::get<0>(pair) <= std::get<1>(pair); };
  if (tables && !llvm::all_of(llvm::zip(elements.getType().getShape(), other.getType().getShape()), fits))
    return false;
  if (tables)
    (*tables)[constants] = other;
  return true;
}

/// Whether `mine` takes all of a tensor at these sizes, and the other, which goes on with `theirs`, does without it.
bool Comparison::isIdentity(Operation *mine, Operation *theirs) {
  auto slice = dyn_cast<tensor::ExtractSliceOp>(mine);
  auto kept = dyn_cast<tensor::ExtractSliceOp>(theirs);
  if (!slice || (kept && kept.getSource() == theirValue.lookup(slice.getSource())))
    return false;
  auto isAll = [&](auto pair) { return atValues(std::get<0>(pair)) == atValues(std::get<1>(pair)); };
  return slice.getType().getRank() == slice.getSourceType().getRank() && slice.hasUnitStride() &&
         llvm::all_of(slice.getStaticOffsets(), [](int64_t offset) { return offset == 0; }) &&
         llvm::all_of(llvm::zip(slice.getType().getShape(), slice.getSourceType().getShape()), isAll);
}

LogicalResult Comparison::compare(Block &mine, Block &theirs) {
  if (!areSame(mine.getArgumentTypes(), theirs.getArgumentTypes()))
    return differs(mine.getParentOp());
  for (auto [argument, other] : llvm::zip(mine.getArguments(), theirs.getArguments()))
    theirValue[argument] = other;
  auto other = theirs.begin();
  for (Operation &op : mine) {
    if (other == theirs.end())
      return differs(&op);
    if (isIdentity(&op, &*other)) {
      theirValue[op.getResult(0)] = theirValue.lookup(op.getOperand(0));
      continue;
    }
    if (failed(compare(&op, &*other++)))
      return failure();
  }
  return other == theirs.end() ? success() : differs(mine.getParentOp());
}

LogicalResult heddle::isSameAt(ModuleOp model, ArrayRef<int64_t> values, ModuleOp fixed,
                               ConstantTables *tables) {
  return Comparison(model, values, tables).compare(model, fixed);
}

LogicalResult heddle::hasSameInterfaceAt(ModuleOp model, ArrayRef<int64_t> values, ModuleOp fixed) {
  auto mine = model.lookupSymbol<func::FuncOp>("main"), theirs = fixed.lookupSymbol<func::FuncOp>("main");
  if (Comparison(model, values).isSame(mine.getFunctionType(), theirs.getFunctionType()))
    return success();
  return mine.emitError() << "its inputs and outputs are others for the least sizes of the range: "
                          << theirs.getFunctionType();
}
