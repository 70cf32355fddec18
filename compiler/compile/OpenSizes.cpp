//===- OpenSizes.cpp - sizes in the place of what stood for them ----------===//
//
// Strides, trip counts and numbers of bytes are computed from static extents, so that
// behind stage llvm a size is a factor of some constants. Two compilations with other
// primes in the place of the sizes tell which.
//
//===----------------------------------------------------------------------===//

#include "OpenSizes.h"

#include "SizeValues.h"

#include "Notes.h"
#include "SizeNumbers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"

#include "llvm/ADT/SetVector.h"

#include <deque>

using namespace mlir;
using namespace heddle;

namespace {

/// One function in both modules.
class FunctionOpener {
public:
  FunctionOpener(FunctionOpInterface func, const Sizes &sizes, const Sizes &others)
      : func(func), sizes(sizes), others(others) {}

  /// Whether the functions are the same but for sizes.
  bool compare(FunctionOpInterface other) { return compareOps(func, other); }
  /// Puts the sizes in. False where the function does not get the arena.
  bool open();

private:
  bool compareOps(Operation *op, Operation *other);
  bool compareRegions(Region &region, Region &other);
  bool compareOperands(OpOperand &operand, Value other);
  bool compareAddresses(LLVM::GEPOp op, LLVM::GEPOp other);
  bool areSameSize(int64_t mine, int64_t theirs);

  FunctionOpInterface func;
  const Sizes &sizes, &others;
  llvm::DenseMap<Value, Value> otherValue;
  llvm::DenseMap<Block *, Block *> otherBlock;
  SmallVector<OpOperand *> uses;                                   // of constants that are sizes here
  SmallVector<std::pair<LLVM::GEPOp, SmallVector<unsigned>>> gaps; // with indices that are
};

} // namespace

bool FunctionOpener::areSameSize(int64_t mine, int64_t theirs) {
  Extent extent = sizes.of(mine), other = others.of(theirs);
  return !extent.isFixed() && extent.factor == other.factor && extent.sizes == other.sizes;
}

/// Constants are compared where they are used: a number that happens to be a prime is one constant with the size that
/// the prime stands for, in one of the modules.
bool FunctionOpener::compareOperands(OpOperand &operand, Value other) {
  Attribute mine = getConstant(operand.get().getDefiningOp()), theirs = getConstant(other.getDefiningOp());
  if (!mine || !theirs)
    return otherValue.lookup(operand.get()) == other;
  if (operand.get().getType() != other.getType())
    return false;
  if (mine == theirs)
    return true;
  std::optional<SizeNumber> number = SizeNumber::find(sizes, mine);
  std::optional<SizeNumber> otherNumber = SizeNumber::find(others, theirs);
  if (!number || !otherNumber || !number->isLike(*otherNumber))
    return false;
  uses.push_back(&operand);
  return true;
}

bool FunctionOpener::compareAddresses(LLVM::GEPOp op, LLVM::GEPOp other) {
  if (op.getElemType() != other.getElemType() || op.getNoWrapFlags() != other.getNoWrapFlags() ||
      op.getIndices().size() != other.getIndices().size())
    return false;
  SmallVector<unsigned> places;
  for (auto [number, mine] : llvm::enumerate(op.getIndices())) {
    auto constant = dyn_cast<IntegerAttr>(mine), theirs = dyn_cast<IntegerAttr>(other.getIndices()[number]);
    if (bool(constant) != bool(theirs))
      return false; // where both are values, operands tell
    if (!constant || constant == theirs)
      continue;
    if (!areSameSize(constant.getInt(), theirs.getInt()))
      return false;
    places.push_back(number);
  }
  if (!places.empty())
    gaps.push_back({op, places});
  return true;
}

bool FunctionOpener::compareOps(Operation *op, Operation *other) {
  if (op->getName() != other->getName() || op->getResultTypes() != other->getResultTypes() ||
      op->getNumRegions() != other->getNumRegions() || op->getNumOperands() != other->getNumOperands() ||
      op->getNumSuccessors() != other->getNumSuccessors())
    return false;
  for (auto [mine, theirs] : llvm::zip(op->getOpOperands(), other->getOperands()))
    if (!compareOperands(mine, theirs))
      return false;
  for (auto [mine, theirs] : llvm::zip(op->getSuccessors(), other->getSuccessors()))
    if (otherBlock.lookup(mine) != theirs)
      return false;
  bool same = true;
  if (auto gap = dyn_cast<LLVM::GEPOp>(op))
    same = compareAddresses(gap, cast<LLVM::GEPOp>(other));
  else
    same = op->getAttrDictionary() == other->getAttrDictionary();
  for (auto [mine, theirs] : llvm::zip(op->getResults(), other->getResults()))
    otherValue[mine] = theirs;
  for (auto [mine, theirs] : llvm::zip(op->getRegions(), other->getRegions()))
    same = same && compareRegions(mine, theirs);
  return same;
}

/// The ops of a block but its constants.
static SmallVector<Operation *> opsOf(Block &block) {
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    if (!getConstant(&op))
      ops.push_back(&op);
  return ops;
}

bool FunctionOpener::compareRegions(Region &region, Region &other) {
  if (region.getBlocks().size() != other.getBlocks().size())
    return false;
  // All blocks first: a use may stand before what it uses.
  for (auto [mine, theirs] : llvm::zip(region, other)) {
    otherBlock[&mine] = &theirs;
    SmallVector<Operation *> ops = opsOf(mine), otherOps = opsOf(theirs);
    if (mine.getArgumentTypes() != theirs.getArgumentTypes() || ops.size() != otherOps.size())
      return false;
    for (auto [argument, otherArgument] : llvm::zip(mine.getArguments(), theirs.getArguments()))
      otherValue[argument] = otherArgument;
    for (auto [op, otherOp] : llvm::zip(ops, otherOps)) {
      if (op->getNumResults() != otherOp->getNumResults())
        return false;
      for (auto [result, otherResult] : llvm::zip(op->getResults(), otherOp->getResults()))
        otherValue[result] = otherResult;
    }
  }
  for (auto [mine, theirs] : llvm::zip(region, other))
    for (auto [op, otherOp] : llvm::zip(opsOf(mine), opsOf(theirs)))
      if (!compareOps(op, otherOp))
        return false;
  return true;
}

bool FunctionOpener::open() {
  if (uses.empty() && gaps.empty())
    return true;
  std::unique_ptr<SizeValues> values = makeSizeValues(func, sizes);
  llvm::SetVector<Operation *> opened; // erased at the end: one may be where values are computed
  for (OpOperand *use : uses) {
    Operation *constant = use->get().getDefiningOp();
    Value value = values->of(constant);
    if (!value)
      return false;
    opened.insert(constant);
    use->set(value);
  }
  for (auto &[op, places] : gaps) {
    SmallVector<LLVM::GEPArg> indices;
    for (auto [number, index] : llvm::enumerate(op.getIndices())) {
      auto constant = dyn_cast<IntegerAttr>(index);
      Value value = constant ? Value() : cast<Value>(index);
      if (llvm::is_contained(places, number) && !(value = values->of(sizes.of(constant.getInt()))))
        return false;
      indices.push_back(value ? LLVM::GEPArg(value) : LLVM::GEPArg(int32_t(constant.getInt())));
    }
    OpBuilder at(op);
    Value address = LLVM::GEPOp::create(at, op.getLoc(), op.getType(), op.getElemType(), op.getBase(), indices,
                                        op.getNoWrapFlags());
    op.replaceAllUsesWith(address);
    opened.insert(op);
  }
  for (Operation *op : opened)
    if (op->use_empty())
      op->erase();
  return true;
}

/// "@k0, attention by attention-online"
static std::string describe(FunctionOpInterface func) {
  std::string text = ("@" + func.getName()).str();
  if (std::optional<DictionaryAttr> chosen = notes::chosen.get(func))
    if (auto op = chosen->getAs<StringAttr>("op"), strategy = chosen->getAs<StringAttr>("name"); op && strategy)
      text += (", " + op.getValue() + " by " + strategy.getValue()).str();
  return text;
}

/// Compares what two modules hold; adds what opens their functions. What SPIR-V was made of is no code, nor is what
/// launches it: the program that a device is told is compared.
static bool compareBodies(Region &region, Region &other, const Sizes &sizes, const Sizes &others,
                          std::deque<FunctionOpener> &openers, std::string &difference) {
  auto ours = llvm::to_vector(llvm::make_pointer_range(region.getOps()));
  auto theirs = llvm::to_vector(llvm::make_pointer_range(other.getOps()));
  if (ours.size() != theirs.size())
    return false;
  for (auto [mine, yours] : llvm::zip(ours, theirs)) {
    if (mine->getName() != yours->getName())
      return false;
    if (isa<func::FuncOp, gpu::GPUModuleOp>(mine))
      continue;
    if (isa<spirv::ModuleOp>(mine)) {
      if (!compareBodies(mine->getRegion(0), yours->getRegion(0), sizes, others, openers, difference))
        return false;
      continue;
    }
    auto func = dyn_cast<FunctionOpInterface>(mine), otherFunc = dyn_cast<FunctionOpInterface>(yours);
    if (!func && OperationEquivalence::isEquivalentTo(mine, yours, OperationEquivalence::IgnoreLocations))
      continue;
    if (func)
      difference = describe(func);
    if (!func || !otherFunc)
      return false;
    openers.emplace_back(func, sizes, others);
    if (!openers.back().compare(otherFunc))
      return false;
  }
  return true;
}

/// Compares two modules; adds what opens their functions.
static bool compareModules(ModuleOp module, ModuleOp other, const Sizes &sizes, const Sizes &others,
                           std::deque<FunctionOpener> &openers, std::string &difference) {
  // Where things lie in the arena, and what inputs may hold, the interface knows by now.
  for (ModuleOp of : {module, other})
    for (auto func : of.getOps<LLVM::LLVMFuncOp>())
      for (unsigned i = 0; i < func.getNumArguments(); ++i)
        for (StringRef name : {notes::arenaOffset.name, notes::range.name})
          func.removeArgAttr(i, name);
  auto without = [](ModuleOp of) {
    NamedAttrList attributes(of->getAttrDictionary());
    for (StringRef name : {notes::sizes.name, notes::sums.name, notes::arenaSize.name})
      attributes.erase(name);
    return attributes.getDictionary(of.getContext());
  };
  difference = "@main";
  return without(module) == without(other) &&
         compareBodies(module.getBodyRegion(), other.getBodyRegion(), sizes, others, openers, difference);
}

bool heddle::openSizes(ArrayRef<OwningOpRef<ModuleOp>> modules, ArrayRef<OwningOpRef<ModuleOp>> others,
                       std::string &difference) {
  Sizes mine(*modules.front()), theirs(*others.front()); // the same in all of them
  std::deque<FunctionOpener> openers;
  for (auto [module, other] : llvm::zip_equal(modules, others))
    if (!compareModules(*module, *other, mine, theirs, openers, difference))
      return false;
  return llvm::all_of(openers, [](FunctionOpener &opener) { return opener.open(); });
}
