//===- SubstituteSizes.cpp - replaces placeholders by sizes ---------------===//
//
// Strides, trip counts and numbers of bytes are computed from static extents,
// so after stage llvm some constants are multiples of placeholders. A
// comparison with a second compilation, which used other placeholders, shows
// which constants these are. If a constant may be the sum of a multiple of a
// product of sizes and a number, the code is also compared with a third
// compilation.
//
//===----------------------------------------------------------------------===//

#include "SubstituteSizes.h"

#include "EmittedSizes.h"

#include "Notes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/SetVector.h"

#include <deque>

using namespace mlir;
using namespace heddle;

/// Returns the value of an operation that is a constant number or consists of constant numbers; null for other
/// operations.
static Attribute getConstant(Operation *op) {
  Attribute value;
  return op && matchPattern(op, m_Constant(&value)) && isa<IntegerAttr, FloatAttr, ElementsAttr>(value) ? value
                                                                                                       : Attribute();
}

/// Describes a function by its name, its operation and its strategy: "@k0, attention by attention-online".
static std::string describe(FunctionOpInterface func) {
  std::string text = ("@" + func.getName()).str();
  if (std::optional<DictionaryAttr> chosen = notes::chosen.get(func))
    if (auto op = chosen->getAs<StringAttr>("op"), strategy = chosen->getAs<StringAttr>("name"); op && strategy)
      text += (", " + op.getValue() + " by " + strategy.getValue()).str();
  return text;
}

namespace {

/// Compares a function of two modules with different placeholders, and replaces the placeholders in the first module.
class FunctionSubstituter {
public:
  FunctionSubstituter(FunctionOpInterface func, const Sizes &sizes, const Sizes &others)
      : func(func), sizes(sizes), others(others) {}

  /// Returns whether the functions differ only in constants that depend on sizes.
  bool compare(FunctionOpInterface other) { return compareOps(func, other); }
  std::string describe() const { return ::describe(func); }
  /// Returns the operation that differs and the kind of the difference, for an error.
  std::string whyNot() const { return wrong.empty() ? ": the operations differ between sizes" : wrong; }
  /// Returns whether the explanation of a number may be a coincidence.
  bool isUnsure() const { return unsure; }
  /// Returns whether the comparison `other`, of the same function, explains the same constants in the same way.
  bool agrees(const FunctionSubstituter &other) const;
  /// Replaces the constants by values. Returns false if the function does not have the arena as an argument.
  bool substitute(MakeSizeArithmetic makeArithmetic);

private:
  std::optional<SizeNumber> explain(Operation *op, Attribute mine, Attribute theirs);
  // These functions return whether their arguments differ only in constants that depend on sizes.
  bool compareOps(Operation *op, Operation *other);
  bool compareRegions(Region &region, Region &other);
  bool compareOperands(OpOperand &operand, Value other);
  bool compareAddresses(LLVM::GEPOp op, LLVM::GEPOp other);

  FunctionOpInterface func;
  const Sizes &sizes, &others; // the sizes of the two modules, with their placeholders
  // For a value or block of the first module, the corresponding value or block of the second module.
  llvm::DenseMap<Value, Value> otherValue;
  llvm::DenseMap<Block *, Block *> otherBlock;
  // Uses of constants that depend on sizes.
  SmallVector<std::pair<OpOperand *, SizeNumber>> uses;
  // Address operations (LLVM::GEPOp) with constant indices that depend on sizes: the position of each such index among
  // the operation's indices, and the index as a function of sizes.
  llvm::MapVector<Operation *, SmallVector<std::pair<unsigned, SizeNumber>>> addresses;
  bool unsure = false; // the result of isUnsure()
  std::string wrong;   // the place and kind of a difference between constants; empty if there is none
};

} // namespace

/// Returns the model's name for an operation, or its line in the file, if one of them is known.
static std::string placeOf(Operation *op) {
  if (auto name = op->getLoc()->findInstanceOf<NameLoc>(); name && !name.getName().empty())
    return " at '" + name.getName().str() + "'";
  auto place = op->getLoc()->findInstanceOf<FileLineColLoc>();
  return place && place.getLine() > 0 ? " at line " + std::to_string(place.getLine()) : "";
}

/// Returns a function of sizes whose values are `mine` and `theirs`, the values of a constant in the two modules, or
/// nothing. `op` uses the constant.
std::optional<SizeNumber> FunctionSubstituter::explain(Operation *op, Attribute mine, Attribute theirs) {
  std::optional<SizeNumber> number = SizeNumber::find(sizes, mine), other = SizeNumber::find(others, theirs);
  if (number && other && number->isLike(*other))
    return number;
  number = SizeNumber::findSum(sizes, others, mine, theirs);
  unsure |= number.has_value();
  if (!number)
    wrong = placeOf(op) + ": a number is not a constant plus a multiple of one product of sizes";
  return number;
}

bool FunctionSubstituter::agrees(const FunctionSubstituter &other) const {
  auto isSame = [](auto pair) {
    auto [one, two] = pair;
    return one.first == two.first && one.second.isLike(two.second);
  };
  auto areSame = [&](const auto &some, const auto &more) {
    return some.size() == more.size() && llvm::all_of(llvm::zip(some, more), isSame);
  };
  return areSame(uses, other.uses) && addresses.size() == other.addresses.size() &&
         llvm::all_of(llvm::zip(addresses, other.addresses), [&](auto pair) {
           auto [one, two] = pair;
           return one.first == two.first && areSame(one.second, two.second);
         });
}

/// Compares an operand with the operand of the other module. Constants are compared at their uses and not at their
/// definitions, because in one of the modules a fixed number may equal a placeholder, so both share a constant.
bool FunctionSubstituter::compareOperands(OpOperand &operand, Value other) {
  Attribute mine = getConstant(operand.get().getDefiningOp()), theirs = getConstant(other.getDefiningOp());
  if (!mine || !theirs)
    return otherValue.lookup(operand.get()) == other;
  if (operand.get().getType() != other.getType())
    return false;
  if (mine == theirs)
    return true;
  std::optional<SizeNumber> number = explain(operand.getOwner(), mine, theirs);
  if (number)
    uses.push_back({&operand, *number});
  return number.has_value();
}

bool FunctionSubstituter::compareAddresses(LLVM::GEPOp op, LLVM::GEPOp other) {
  if (op.getElemType() != other.getElemType() || op.getNoWrapFlags() != other.getNoWrapFlags() ||
      op.getIndices().size() != other.getIndices().size())
    return false;
  SmallVector<std::pair<unsigned, SizeNumber>> places;
  for (auto [number, mine] : llvm::enumerate(op.getIndices())) {
    auto constant = dyn_cast<IntegerAttr>(mine), theirs = dyn_cast<IntegerAttr>(other.getIndices()[number]);
    if (bool(constant) != bool(theirs))
      return false; // two indices that are not constants are compared as operands
    if (!constant || constant == theirs)
      continue;
    std::optional<SizeNumber> size = explain(op, constant, theirs);
    if (!size)
      return false;
    unsure |= size->plus != 0; // constant indices of addresses are usually not sums, so this may be a coincidence
    places.push_back({number, *size});
  }
  if (!places.empty())
    addresses[op] = places;
  return true;
}

bool FunctionSubstituter::compareOps(Operation *op, Operation *other) {
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
  if (auto address = dyn_cast<LLVM::GEPOp>(op))
    same = compareAddresses(address, cast<LLVM::GEPOp>(other));
  else
    same = op->getAttrDictionary() == other->getAttrDictionary();
  for (auto [mine, theirs] : llvm::zip(op->getResults(), other->getResults()))
    otherValue[mine] = theirs;
  for (auto [mine, theirs] : llvm::zip(op->getRegions(), other->getRegions()))
    same = same && compareRegions(mine, theirs);
  return same;
}

/// Returns the operations of a block, except constants.
static SmallVector<Operation *> opsOf(Block &block) {
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    if (!getConstant(&op))
      ops.push_back(&op);
  return ops;
}

bool FunctionSubstituter::compareRegions(Region &region, Region &other) {
  if (region.getBlocks().size() != other.getBlocks().size())
    return false;
  // Register all blocks first, because a use may precede the definition in the list of blocks.
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

bool FunctionSubstituter::substitute(MakeSizeArithmetic makeArithmetic) {
  if (uses.empty() && addresses.empty())
    return true;
  EmittedSizes values(makeArithmetic(func, sizes));
  // The operations that become unused. They are erased at the end, since new operations may be inserted before them.
  llvm::SetVector<Operation *> substituted;
  for (auto &[use, number] : uses) {
    Operation *constant = use->get().getDefiningOp();
    Value value = values.of(number, constant->getResult(0).getType());
    if (!value)
      return false;
    substituted.insert(constant);
    use->set(value);
  }
  for (auto &[old, places] : addresses) {
    auto op = cast<LLVM::GEPOp>(old);
    SmallVector<LLVM::GEPArg> indices;
    for (auto index : op.getIndices()) {
      auto constant = dyn_cast<IntegerAttr>(index);
      indices.push_back(constant ? LLVM::GEPArg(int32_t(constant.getInt())) : LLVM::GEPArg(cast<Value>(index)));
    }
    OpBuilder at(op);
    for (auto &[place, number] : places) {
      Value value = values.of(number, at.getI64Type());
      if (!value)
        return false;
      indices[place] = LLVM::GEPArg(value);
    }
    Value address = LLVM::GEPOp::create(at, op.getLoc(), op.getType(), op.getElemType(), op.getBase(), indices,
                                        op.getNoWrapFlags());
    op.replaceAllUsesWith(address);
    substituted.insert(op);
  }
  for (Operation *op : substituted)
    if (op->use_empty())
      op->erase();
  return true;
}

/// Returns whether an operation belongs to an earlier stage of a device's code: a func.func, or kernels without LLVM
/// functions. Such operations are not compared; the device programs are compared instead.
static bool isNotCompared(Operation *op) {
  auto kernels = dyn_cast<gpu::GPUModuleOp>(op);
  return isa<func::FuncOp>(op) || (kernels && kernels.getOps<LLVM::LLVMFuncOp>().empty());
}

/// Compares the operations of two modules and adds a FunctionSubstituter for each function.
static bool compareBodies(Region &region, Region &other, const Sizes &sizes, const Sizes &others,
                          std::deque<FunctionSubstituter> &substituters, std::string &difference) {
  auto ours = llvm::to_vector(llvm::make_pointer_range(region.getOps()));
  auto theirs = llvm::to_vector(llvm::make_pointer_range(other.getOps()));
  if (ours.size() != theirs.size())
    return false;
  for (auto [mine, yours] : llvm::zip(ours, theirs)) {
    if (mine->getName() != yours->getName())
      return false;
    if (isNotCompared(mine) && isNotCompared(yours))
      continue;
    if (mine->hasTrait<OpTrait::SymbolTable>()) {
      if (!compareBodies(mine->getRegion(0), yours->getRegion(0), sizes, others, substituters, difference))
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
    substituters.emplace_back(func, sizes, others);
    if (!substituters.back().compare(otherFunc)) {
      difference += substituters.back().whyNot();
      return false;
    }
  }
  return true;
}

/// Compares two modules, including their attributes, and adds a FunctionSubstituter for each function.
static bool compareModules(ModuleOp module, ModuleOp other, const Sizes &sizes, const Sizes &others,
                           std::deque<FunctionSubstituter> &substituters, std::string &difference) {
  // Remove arena offsets and input ranges, which depend on sizes. The interface has already read them.
  for (ModuleOp of : {module, other})
    for (auto func : of.getOps<LLVM::LLVMFuncOp>())
      for (unsigned i = 0; i < func.getNumArguments(); ++i)
        for (StringRef name : {notes::arenaOffset.name, notes::range.name})
          func.removeArgAttr(i, name);
  auto without = [](ModuleOp of) {
    NamedAttrList attributes(of->getAttrDictionary());
    for (StringRef name : {notes::sizes.name, notes::derived.name, notes::arenaSize.name, notes::stateSizes.name})
      attributes.erase(name);
    return attributes.getDictionary(of.getContext());
  };
  difference = "@main";
  return without(module) == without(other) &&
         compareBodies(module.getBodyRegion(), other.getBodyRegion(), sizes, others, substituters, difference);
}

SizesSubstituted heddle::substituteSizes(ArrayRef<OwningOpRef<ModuleOp>> modules,
                                         ArrayRef<OwningOpRef<ModuleOp>> others, ArrayRef<OwningOpRef<ModuleOp>> unsure,
                                         MakeSizeArithmetic makeArithmetic, std::string &difference) {
  Sizes mine(*modules.front()); // all modules have the same sizes
  std::deque<Sizes> theirs;
  auto compare = [&](ArrayRef<OwningOpRef<ModuleOp>> others, std::deque<FunctionSubstituter> &substituters) {
    theirs.emplace_back(*others.front());
    return llvm::all_of(llvm::zip_equal(modules, others), [&](auto pair) {
      return compareModules(*std::get<0>(pair), *std::get<1>(pair), mine, theirs.back(), substituters, difference);
    });
  };
  std::deque<FunctionSubstituter> substituters, before; // the comparisons with `others` and with `unsure`
  if (!compare(others, substituters))
    return SizesSubstituted::No;
  auto isUnsure = [](const FunctionSubstituter &substituter) { return substituter.isUnsure(); };
  if (llvm::any_of(substituters, isUnsure)) {
    if (unsure.empty())
      return SizesSubstituted::Unsure;
    if (!compare(unsure, before))
      return SizesSubstituted::No;
    for (auto [substituter, other] : llvm::zip_equal(substituters, before))
      if (!substituter.agrees(other)) {
        difference = substituter.describe() + ": a number is not the same sum of sizes at all sizes";
        return SizesSubstituted::No;
      }
  }
  bool all = llvm::all_of(substituters,
                          [&](FunctionSubstituter &substituter) { return substituter.substitute(makeArithmetic); });
  return all ? SizesSubstituted::Yes : SizesSubstituted::No;
}
