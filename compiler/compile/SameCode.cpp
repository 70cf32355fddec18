//===- SameCode.cpp - code that does not depend on what stood for sizes ---===//

#include "SameCode.h"

#include "Notes.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace heddle;

static NamedAttrList attributesOf(ModuleOp module) {
  NamedAttrList attributes(module->getAttrDictionary());
  attributes.erase(notes::sizes.name);
  return attributes;
}

LogicalResult heddle::haveSameCode(ModuleOp one, ModuleOp other) {
  constexpr StringRef reason = "sizes cannot lie in a range here: what is compiled is not the same for all of them";
  auto functions = [](ModuleOp module) {
    return llvm::map_to_vector(module.getOps(), [](Operation &op) { return &op; });
  };
  auto ours = functions(one), theirs = functions(other);
  for (auto [mine, yours] : llvm::zip(ours, theirs))
    if (!OperationEquivalence::isEquivalentTo(mine, yours, OperationEquivalence::IgnoreLocations)) {
      auto name = SymbolTable::getSymbolName(mine).getValue();
      return one.emitError() << reason << " (" << name << ")";
    }
  if (ours.size() != theirs.size() || attributesOf(one) != attributesOf(other))
    return one.emitError() << reason;
  return success();
}
