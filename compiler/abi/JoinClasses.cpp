//===- JoinClasses.cpp - joins the interfaces of classes of sizes ---------===//

#include "InterfaceExtents.h"

#include "Notes.h"
#include "Sizes.h"
#include "States.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace heddle;

/// Sets the extents of a tensor to those of the whole model, which depend on sizes. Before the call, they are those of
/// one class (a part of the ranges of sizes that has code of its own), in which they may be constant. `type` is the
/// tensor's type in the whole model.
static void widenTensor(InterfaceTensor &tensor, Type type, const Sizes &sizes, const ModelInterface &interface) {
  tensor.shape = cast<RankedTensorType>(type).getShape();
  readExtents(tensor, sizes, interface);
}

/// Returns the indices of the sizes that states depend on.
static llvm::SmallDenseSet<unsigned> sizesOfStates(func::FuncOp main, const Sizes &sizes) {
  llvm::SmallDenseSet<unsigned> numbers;
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (notes::state.has(main, i))
      for (int64_t number : cast<RankedTensorType>(main.getArgumentTypes()[i]).getShape())
        for (StringRef name : sizes.of(number).sizes())
          for (unsigned size : sizes.expressionOf(*sizes.find(name)).sizes())
            numbers.insert(size);
  return numbers;
}

/// Joins the states of the classes. All classes share the memory of states. The layout of the memory is that of a class
/// in which all sizes that the layout depends on lie in ranges. In a class in which such a size is a constant, the
/// tensors have the offsets that this layout gives for the constant. The number of rows that a call adds is read from
/// the whole model, since it may be a constant in a class.
static LogicalResult joinStates(ModelInterface &joined, MutableArrayRef<ModelInterface> classes, ModuleOp whole) {
  if (!joined.states)
    return success();
  auto main = whole.lookupSymbol<func::FuncOp>("main");
  Sizes sizes(main);
  llvm::SmallDenseSet<unsigned> needed = sizesOfStates(main, sizes);
  auto varies = [](const ModelInterface &one, unsigned size) {
    return llvm::any_of(one.states->dims, [&](unsigned dim) { return one.dims[dim].number == size; });
  };
  for (unsigned size = 0; size < joined.sizes.size(); ++size)
    if (needed.contains(size) && llvm::none_of(classes, [&](const ModelInterface &one) { return varies(one, size); }))
      return whole.emitError() << "the memory of states depends on size '" << joined.sizes[size].name
                               << "', so at least one class of this size must have more than one value";
  const ModelInterface *described = llvm::find_if(classes, [&](const ModelInterface &one) {
    return one.derived.size() == joined.derived.size() &&
           llvm::all_of(needed, [&](unsigned size) { return varies(one, size); });
  });
  if (described == classes.end())
    return whole.emitError() << "a model with states needs a class in which every size that the memory of the states "
                                "depends on has more than one value";
  FailureOr<States> read = readStates(main);
  if (failed(read))
    return failure();
  joined.states = described->states;
  joined.states->rows = readProduct(read->sizes.rows, sizes);
  for (ModelInterface &one : classes) {
    one.states->dims = joined.states->dims;
    one.states->layout = joined.states->layout;
  }
  return success();
}

FailureOr<ModelInterface> heddle::joinClasses(std::vector<ModelInterface> classes, ArrayRef<std::vector<int64_t>> lows,
                                              ModuleOp whole) {
  ModelInterface joined = classes.front();
  auto main = whole.lookupSymbol<func::FuncOp>("main");
  Sizes sizes(main);
  for (auto [size, range, minimum] : llvm::zip_equal(joined.sizes, sizes.all(), lows)) {
    size.low = range.low;
    size.high = range.high;
    if (minimum.size() > 1)
      size.classes = minimum;
  }
  for (NamedSize &dim : joined.dims)
    if (dim.number)
      std::tie(dim.low, dim.high) = std::pair(joined.sizes[*dim.number].low, joined.sizes[*dim.number].high);
  joined.derived.clear();
  readDerived(joined, whole);
  unsigned argument = 0, result = 0; // indices in @main of the whole model, whose arguments include states
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
