//===- MainBuilder.cpp - builds an imported module ------------------------===//

#include "MainBuilder.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace heddle;

MainBuilder::MainBuilder(Location loc, StringRef source)
    : ImplicitLocOpBuilder(loc, loc.getContext()), module(ModuleOp::create(loc)) {
  (*module)->setAttr("heddle.source", getStringAttr(source));
  setInsertionPointToStart(module->getBody());
  main = func::FuncOp::create(*this, "main", getFunctionType({}, {}));
  setInsertionPointToStart(main.addEntryBlock());
}

Value MainBuilder::addInput(StringRef name, RankedTensorType type, const InputTraits &traits) {
  NamedAttrList attributes;
  attributes.set("heddle.name", getStringAttr(name));
  if (!traits.dims.empty())
    attributes.set("heddle.dims", getStrArrayAttr(traits.dims));
  if (traits.defaultValue)
    attributes.set("heddle.default", getI64IntegerAttr(*traits.defaultValue));
  if (traits.range)
    attributes.set("heddle.range", getDenseI64ArrayAttr({traits.range->first, traits.range->second}));
  unsigned index = main.getNumArguments();
  LogicalResult inserted = main.insertArgument(index, type, attributes.getDictionary(getContext()), getLoc());
  (void)inserted; // fails only where the function would take another type, which a FuncOp does
  return main.getArgument(index);
}

void MainBuilder::setWeightFiles(ArrayRef<std::string> files) {
  SmallVector<Attribute> paths;
  for (const std::string &file : files) {
    SmallString<128> path(file);
    llvm::sys::fs::make_absolute(path);
    llvm::sys::path::remove_dots(path);
    paths.push_back(getStringAttr(path));
  }
  (*module)->setAttr("heddle.weight_files", getArrayAttr(paths));
}

OwningOpRef<ModuleOp> MainBuilder::finish(ArrayRef<std::pair<StringRef, Value>> results) {
  SmallVector<Value> values;
  SmallVector<Type> types;
  for (const auto &[name, value] : results) {
    values.push_back(value);
    types.push_back(value.getType());
  }
  func::ReturnOp::create(*this, values);
  main.setType(getFunctionType(main.getArgumentTypes(), types));
  for (const auto &[index, result] : llvm::enumerate(results))
    main.setResultAttr(index, "heddle.name", getStringAttr(result.first));
  if (failed(verify(*module)))
    return {};
  return std::move(module);
}
