//===- Kernels.cpp - kernels of a model and their work --------------------===//

#include "Kernels.h"

#include "heddle/Strategy.h"

#include "Notes.h"
#include "Sizes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::bench;

static std::string shapeText(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return "scalar";
  return tensor.getRank() ? llvm::join(llvm::map_range(tensor.getShape(), [](int64_t n) { return llvm::utostr(n); }), "x")
                          : "scalar";
}

/// Returns the shapes of operands and results. The last arguments of a kernel are its destinations, which are left out.
static std::string shapeOfKernel(func::FuncOp kernel) {
  std::string text;
  for (Type type : kernel.getArgumentTypes().drop_back(kernel.getNumResults()))
    text += (text.empty() ? "" : ", ") + shapeText(type);
  text += " -> ";
  text += llvm::join(llvm::map_range(kernel.getResultTypes(), shapeText), ", ");
  return text;
}

std::vector<KernelInfo> heddle::bench::findKernels(ModuleOp lowered) {
  llvm::StringMap<unsigned> calls;
  lowered.lookupSymbol<func::FuncOp>("main").walk([&](func::CallOp call) { ++calls[call.getCallee()]; });
  std::vector<KernelInfo> kernels;
  for (auto kernel : lowered.getOps<func::FuncOp>())
    if (notes::kernel.has(kernel) && kernelRoot(kernel))
      kernels.push_back({kernel.getName().str(), kernelOp(kernel), "", shapeOfKernel(kernel), kernelWork(kernel),
                         calls.lookup(kernel.getName())});
  return kernels;
}

OwningOpRef<ModuleOp> heddle::bench::countableAt(ModuleOp lowered, ArrayRef<size_t> values) {
  OwningOpRef<ModuleOp> module = lowered.clone();
  Sizes sizes(*module);
  SmallVector<int64_t> numbers(values);
  // Replaces the extents that depend on sizes by their values.
  auto at = [&](Type type) -> Type {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return type;
    SmallVector<int64_t> shape(tensor.getShape());
    for (int64_t &number : shape)
      number = sizes.at(sizes.of(number), numbers);
    return tensor.clone(shape);
  };
  module->walk([&](Operation *op) {
    for (Value result : op->getResults())
      result.setType(at(result.getType()));
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setType(at(argument.getType()));
    if (auto function = dyn_cast<func::FuncOp>(op))
      function.setType(FunctionType::get(op->getContext(), llvm::map_to_vector(function.getArgumentTypes(), at),
                                         llvm::map_to_vector(function.getResultTypes(), at)));
  });
  return module;
}
