//===- ModelInterface.cpp - what a compiled model takes and gives ---------===//

#include "ModelInterface.h"

#include "heddle/AbiType.h"
#include "heddle/ArenaLayout.h"
#include "heddle/Identifier.h"
#include "heddle/WeightTable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace heddle;

uint64_t InterfaceTensor::elementCount() const {
  uint64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

namespace {
/// Makes names unique by a number behind them.
struct UniqueNames {
  std::string add(std::string name) {
    std::string unique = name;
    for (unsigned i = 2; !taken.insert(unique).second; ++i)
      unique = name + "_" + std::to_string(i);
    return unique;
  }
  llvm::StringSet<> taken;
};
} // namespace

static FailureOr<InterfaceTensor> readTensor(func::FuncOp main, unsigned i, ModelInterface &interface,
                                             UniqueNames &names) {
  InterfaceTensor tensor;
  auto memref = dyn_cast<MemRefType>(main.getArgumentTypes()[i]);
  std::optional<heddle_type> type;
  // Booleans cross the boundary as bytes; vectors of i1 would lie in memory as bits.
  if (main.getArgAttr(i, "heddle.bool"))
    type = HEDDLE_BOOL;
  else if (memref && !memref.getElementType().isInteger(1))
    type = abiType(memref.getElementType());
  if (!memref || !type)
    return main.emitError("argument ")
           << i << " of type " << main.getArgumentTypes()[i] << " cannot be passed from C";
  tensor.type = *type;
  tensor.shape = memref.getShape();
  if (auto name = main.getArgAttrOfType<StringAttr>(i, "heddle.name"))
    tensor.name = name.str();
  else
    tensor.name = (main.getArgAttr(i, "heddle.result") ? "output" : "input") + std::to_string(i);
  tensor.identifier = names.add(makeIdentifier(tensor.name));
  tensor.dims.resize(tensor.shape.size());
  if (auto dims = main.getArgAttrOfType<ArrayAttr>(i, "heddle.dims"))
    for (auto [d, dim] : llvm::enumerate(dims.getAsRange<StringAttr>())) {
      if (d >= tensor.dims.size() || dim.empty())
        continue;
      std::pair<std::string, int64_t> named(makeIdentifier(dim), tensor.shape[d]);
      auto known = llvm::find_if(interface.dims, [&](auto &other) { return other.first == named.first; });
      if (known == interface.dims.end()) {
        interface.dims.push_back(named);
        names.taken.insert(named.first);
      } else if (known->second != named.second) {
        continue; // two sizes by one name: only the first is the named one
      }
      tensor.dims[d] = named.first;
    }
  if (auto range = main.getArgAttrOfType<DenseI64ArrayAttr>(i, "heddle.range"); range && range.size() == 2)
    tensor.range = {range[0], range[1]};
  if (auto value = main.getArgAttrOfType<IntegerAttr>(i, "heddle.default"))
    tensor.defaultValue = value.getInt();
  if (auto mask = main.getArgAttrOfType<StringAttr>(i, "heddle.zero_where"))
    tensor.zeroWhere = mask.str();
  if (auto offset = main.getArgAttrOfType<IntegerAttr>(i, arenaOffsetAttr))
    tensor.arenaOffset = offset.getInt();
  return tensor;
}

FailureOr<ModelInterface> heddle::readInterface(ModuleOp module) {
  ModelInterface interface;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  auto arenaSize = module->getAttrOfType<IntegerAttr>(arenaSizeAttr);
  auto workerSize = module->getAttrOfType<IntegerAttr>(workerSizeAttr);
  auto weightsSize = module->getAttrOfType<IntegerAttr>(weightsSizeAttr);
  if (!main || !arenaSize || !workerSize || !weightsSize)
    return module.emitError("expected a module after stage plan");
  interface.arenaSize = arenaSize.getInt();
  interface.workerSize = workerSize.getInt();
  interface.weightsSize = weightsSize.getInt();
  if (auto source = module->getAttrOfType<StringAttr>("heddle.source"))
    interface.source = source.str();
  // Names of sizes come first in the struct of arguments.
  UniqueNames names;
  for (unsigned i = 0, e = main.getNumArguments(); i < e; ++i) {
    if (main.getArgAttr(i, weightsArgAttr)) {
      interface.arguments.push_back({InterfaceArgument::Weights, 0});
      continue;
    }
    if (main.getArgAttr(i, arenaArgAttr)) {
      interface.arguments.push_back({InterfaceArgument::Arena, 0});
      continue;
    }
    bool isResult = bool(main.getArgAttr(i, "heddle.result"));
    std::vector<InterfaceTensor> &tensors = isResult ? interface.outputs : interface.inputs;
    FailureOr<InterfaceTensor> tensor = readTensor(main, i, interface, names);
    if (failed(tensor))
      return failure();
    interface.arguments.push_back(
        {isResult ? InterfaceArgument::Output : InterfaceArgument::Input, unsigned(tensors.size())});
    tensors.push_back(std::move(*tensor));
  }
  return interface;
}
