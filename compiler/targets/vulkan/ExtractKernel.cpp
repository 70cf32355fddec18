//===- ExtractKernel.cpp - makes a SPIR-V module of one kernel ------------===//

#include "ExtractKernel.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace heddle;

/// Adds to `names` the names of the symbols that an operation of the module uses.
static void addNamed(Operation &op, SmallVectorImpl<StringRef> &names) {
  std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(&op);
  for (const SymbolTable::SymbolUse &use : *uses)
    names.push_back(use.getSymbolRef().getRootReference());
}

/// Returns the name of the function to which an entry point or an execution mode refers. Returns an empty name for any
/// other operation.
static StringRef subjectOf(Operation &op) {
  if (auto entry = dyn_cast<spirv::EntryPointOp>(op))
    return entry.getFn();
  if (auto mode = dyn_cast<spirv::ExecutionModeOp>(op))
    return mode.getFn();
  return {};
}

OwningOpRef<spirv::ModuleOp> heddle::extractKernel(spirv::ModuleOp code, StringRef kernel) {
  llvm::SmallPtrSet<Operation *, 16> kept;
  SmallVector<StringRef> names{kernel};
  for (Operation &op : *code.getBody())
    if (subjectOf(op) == kernel) {
      kept.insert(&op);
      addNamed(op, names);
    }
  while (!names.empty())
    if (Operation *op = code.lookupSymbol(names.pop_back_val()); kept.insert(op).second)
      addNamed(*op, names);

  OwningOpRef<spirv::ModuleOp> module = cast<spirv::ModuleOp>(code->cloneWithoutRegions());
  auto builder = OpBuilder::atBlockBegin(&module->getRegion().emplaceBlock());
  for (Operation &op : *code.getBody())
    if (kept.contains(&op))
      builder.clone(op);
  return module;
}
