//===- JoinClasses.cpp - the interface of code for classes of sizes -------===//

#include "InterfaceExtents.h"

#include "Notes.h"
#include "Sizes.h"
#include "States.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace heddle;

/// Extents of one class may be numbers: those of the whole model have the sizes.
static void widenTensor(InterfaceTensor &tensor, Type type, const Sizes &sizes, const ModelInterface &interface) {
  tensor.shape = cast<RankedTensorType>(type).getShape();
  readExtents(tensor, sizes, interface);
}

/// The memory of states is the same for all classes: they may not have numbers for sizes that its layout depends on. It is
/// described by a class that has all sizes of the model. How many rows a call adds is the whole model's: a class may have
/// a number for them.
static LogicalResult joinStates(ModelInterface &joined, ArrayRef<ModelInterface> classes, ModuleOp whole) {
  if (!joined.states)
    return success();
  const ModelInterface *described = llvm::find_if(classes, [&](const ModelInterface &one) {
    return one.derived.size() == joined.derived.size() && llvm::none_of(one.states->dims, [&](unsigned dim) {
             return one.dims[dim].low == one.dims[dim].high && joined.dims[dim].low != joined.dims[dim].high;
           });
  });
  if (described == classes.end())
    return whole.emitError() << "states need a class in which no size is one number";
  for (unsigned dim : described->states->dims)
    for (const ModelInterface &one : classes)
      if (one.dims[dim].low == one.dims[dim].high && joined.dims[dim].low != joined.dims[dim].high)
        return whole.emitError() << "the memory of states depends on '" << joined.dims[dim].name
                                 << "', of which no class can be one number, found " << one.dims[dim].low;
  auto main = whole.lookupSymbol<func::FuncOp>("main");
  FailureOr<States> read = readStates(main);
  if (failed(read))
    return failure();
  joined.states = described->states;
  joined.states->rows = readProduct(read->sizes.rows, Sizes(main));
  return success();
}

FailureOr<ModelInterface> heddle::joinClasses(std::vector<ModelInterface> classes, ArrayRef<std::vector<int64_t>> lows,
                                              ModuleOp whole) {
  ModelInterface joined = classes.front();
  auto main = whole.lookupSymbol<func::FuncOp>("main");
  Sizes sizes(main);
  for (auto [size, range, least] : llvm::zip_equal(joined.sizes, sizes.all(), lows)) {
    size.low = range.low;
    size.high = range.high;
    if (least.size() > 1)
      size.classes = least;
  }
  for (NamedSize &dim : joined.dims)
    if (dim.number)
      std::tie(dim.low, dim.high) = std::pair(joined.sizes[*dim.number].low, joined.sizes[*dim.number].high);
  joined.derived.clear();
  readDerived(joined, whole);
  unsigned argument = 0, result = 0; // of the model; states are none of the interface's tensors
  for (InterfaceTensor &input : joined.inputs) {
    if (input.isStates)
      continue;
    while (notes::state.has(main, argument))
      ++argument;
    widenTensor(input, main.getArgumentTypes()[argument], sizes, joined);
    if (auto range = notes::range.get(main, argument))
      input.range = {readBound(range->low, /*isLow=*/true, sizes, joined),
                     readBound(range->high, /*isLow=*/false, sizes, joined)};
    ++argument;
  }
  for (InterfaceTensor &output : joined.outputs) {
    while (notes::state.getOfResult(main, result))
      ++result;
    widenTensor(output, main.getResultTypes()[result++], sizes, joined);
  }
  if (failed(joinStates(joined, classes, whole)))
    return failure();
  for (auto [i, one] : llvm::enumerate(classes)) {
    one.classSuffix = "_class" + std::to_string(i);
    joined.workerSize = std::max(joined.workerSize, one.workerSize);
    if (one.indexCheck)
      joined.indexCheck = one.indexCheck;
  }
  joined.classes = std::move(classes);
  return joined;
}
