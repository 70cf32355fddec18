//===- MainBuilder.cpp - builds an imported module ------------------------===//

#include "MainBuilder.h"

#include "sizes/SizeScope.h"

#include "WeightNotes.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace heddle;

MainBuilder::MainBuilder(Location loc)
    : ImplicitLocOpBuilder(loc, loc.getContext()), module(ModuleOp::create(loc)) {
  setInsertionPointToStart(module->getBody());
  main = func::FuncOp::create(*this, "main", getFunctionType({}, {}));
  setInsertionPointToStart(main.addEntryBlock());
}

Value MainBuilder::addInput(StringRef name, RankedTensorType type, const InputTraits &traits) {
  unsigned index = main.getNumArguments();
  LogicalResult inserted = main.insertArgument(index, type, {}, getLoc());
  // The insertion fails only if the type of the function cannot be changed, but the type of a FuncOp can be changed.
  (void)inserted;
  notes::name.set(main, index, name);
  if (!traits.dims.empty())
    notes::dims.set(main, index, Strings(traits.dims.begin(), traits.dims.end()));
  if (traits.defaultValue)
    notes::defaultValue.set(main, index, *traits.defaultValue);
  if (traits.range)
    notes::range.set(main, index, {traits.range->first, traits.range->second});
  return main.getArgument(index);
}

Value MainBuilder::addState(StringRef name, RankedTensorType type, ArrayRef<StringRef> dims) {
  Value state = addInput(name, type, {dims});
  notes::state.set(main, main.getNumArguments() - 1, name);
  return state;
}

void MainBuilder::keepState(Value state, Value after) {
  states.push_back({*notes::state.get(main, cast<BlockArgument>(state).getArgNumber()), after});
}

void MainBuilder::markPast(Value input) {
  notes::statePast.set(main, cast<BlockArgument>(input).getArgNumber());
}

void MainBuilder::replaceInputs(ArrayRef<StringRef> names) {
  notes::replacedInputs.set(*module, Strings(names));
}

void MainBuilder::setWeightFiles(ArrayRef<WeightFile> files) {
  std::vector<std::string> paths, prefixes;
  for (const WeightFile &file : files) {
    SmallString<128> path(file.path);
    llvm::sys::fs::make_absolute(path);
    llvm::sys::path::remove_dots(path);
    paths.push_back(path.str().str());
    prefixes.push_back(file.prefix);
  }
  notes::weightFiles.set(*module, Strings(paths.begin(), paths.end()));
  if (llvm::any_of(prefixes, [](const std::string &prefix) { return !prefix.empty(); }))
    notes::weightPrefixes.set(*module, Strings(prefixes.begin(), prefixes.end()));
}

OwningOpRef<ModuleOp> MainBuilder::finish(ArrayRef<std::pair<StringRef, Value>> outputs) {
  SmallVector<Value> values;
  SmallVector<Type> types;
  SmallVector<std::pair<StringRef, Value>> results(outputs);
  llvm::append_range(results, states);
  for (const auto &[name, value] : results) {
    values.push_back(value);
    types.push_back(value.getType());
  }
  func::ReturnOp::create(*this, values);
  main.setType(getFunctionType(main.getArgumentTypes(), types));
  for (const auto &[index, result] : llvm::enumerate(results))
    notes::name.setOfResult(main, index, result.first);
  for (const auto &[index, state] : llvm::enumerate(states))
    notes::state.setOfResult(main, outputs.size() + index, state.first);
  if (SizeScope *sizes = SizeScope::current(); sizes && sizes->needsOtherPlaceholders())
    // The module may be invalid with these placeholders. The caller then imports the model again with others.
    return {};
  if (failed(verify(*module)))
    return {};
  return std::move(module);
}
