//===- LayOutStates.cpp - lays out the memory of states -------------------===//

#include "ModelInterface.h"
#include "ModelWords.h"

#include "Notes.h"
#include "Sizes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

/// Adds a piece of memory (for a tensor, or for the numbers of filled rows) to `bytes`, rounded up to a multiple of
/// bytes.unit. Pieces of equal size, such as the tensors of several layers, are one element with a count. Thus the
/// expression that computes an offset does not become longer with the number of layers.
static void add(InterfaceBytes &bytes, const InterfaceProduct &product) {
  if (llvm::all_of(product.powers, [](uint8_t power) { return power == 0; })) {
    bytes.fixed += int64_t(llvm::alignTo(uint64_t(product.each), bytes.unit));
    return;
  }
  auto same = llvm::find_if(bytes.pieces, [&](const InterfacePieces &pieces) { return pieces.bytes == product; });
  if (same == bytes.pieces.end())
    bytes.pieces.push_back({product});
  else
    ++same->count;
}

/// Returns the size of a tensor in bytes. `sizes` is the number of sizes and derived sizes.
static InterfaceProduct bytesOf(const InterfaceTensor &tensor, size_t sizes) {
  InterfaceProduct product{int64_t(tensor.elementCount() * tensor.elementSize()), std::vector<uint8_t>(sizes, 0)};
  for (const std::vector<uint8_t> &powers : tensor.powers)
    for (auto [sum, power] : llvm::zip_equal(product.powers, powers))
      sum += power;
  return product;
}

/// Returns the sizes that callers pass to create the memory of states, as indices in interface.dims.
static std::vector<unsigned> findDims(const ModelInterface &interface, func::FuncOp main) {
  llvm::SmallDenseSet<unsigned> numbers;
  for (const InterfacePieces &pieces : interface.states->size.pieces)
    for (auto [i, power] : llvm::enumerate(pieces.bytes.powers)) {
      if (power && i < interface.sizes.size())
        numbers.insert(i);
      else if (power)
        for (unsigned size : interface.derived[i - interface.sizes.size()].expression.sizes())
          numbers.insert(size);
    }
  auto isNamed = [&](llvm::StringRef name) {
    for (unsigned i = 0; i < main.getNumArguments(); ++i)
      if (notes::state.has(main, i) && llvm::is_contained(notes::dims.get(main, i).value_or(Strings()), name))
        return true;
    return false;
  };
  std::vector<unsigned> dims;
  for (auto [i, dim] : llvm::enumerate(interface.dims))
    if (dim.number ? numbers.contains(*dim.number) : isNamed(dim.name))
      dims.push_back(i);
  return dims;
}

/// Returns the text for InterfaceStates::layout.
static std::string layoutOf(ArrayRef<InterfaceState> states) {
  std::string text;
  for (const InterfaceState &state : states) {
    text += "\n" + state.tensor.name + " " + std::to_string(state.tensor.type);
    for (auto [extent, powers] : llvm::zip_equal(state.tensor.shape, state.tensor.powers)) {
      text += " " + std::to_string(extent);
      for (uint8_t power : powers)
        text += "," + std::to_string(power);
    }
  }
  return text;
}

LogicalResult heddle::layOutStates(ModelInterface &interface, func::FuncOp main, const Sizes &sizes) {
  std::optional<StateSizes> common = notes::stateSizes.get(main->getParentOp());
  if (!common || interface.states->all.empty())
    return main.emitError("expected states, and the annotation heddle.state_sizes, which stage fuse sets");
  InterfaceStates &states = *interface.states;
  states.batch = readProduct(common->batch, sizes);
  states.capacity = common->capacity ? readProduct(common->capacity, sizes)
                                     : InterfaceProduct{0, std::vector<uint8_t>(size_t(sizes.count()), 0)};
  states.rows = readProduct(common->rows, sizes);
  states.filled.fixed = int64_t(llvm::alignTo(sizeof(StateHeader) + 8 * interface.sizes.size(), 64));
  states.size = states.filled;
  InterfaceProduct lengths = states.batch; // the size in bytes of the numbers of filled rows: an i64 for each sequence
  lengths.each *= 8;
  add(states.size, lengths);
  for (InterfaceState &state : states.all) {
    state.offset = states.size;
    add(states.size, bytesOf(state.tensor, size_t(sizes.count())));
  }
  if (states.size.maximum(interface.highs()) > uint64_t(INT64_MAX))
    return main.emitError(
        "at the largest sizes, the states of the model have more than 2^63 - 1 bytes; reduce the maximum of a size");
  states.dims = findDims(interface, main);
  states.layout = layoutOf(states.all);
  return success();
}

void heddle::moveStatesToDevice(ModelInterface &interface, uint64_t alignment) {
  InterfaceStates &states = *interface.states;
  InterfaceProduct lengths = states.batch;
  lengths.each *= 8;
  states.size = states.filled;
  add(states.size, lengths);
  states.onDevice.emplace();
  states.onDevice->unit = alignment;
  for (InterfaceState &state : states.all) {
    state.offset = *states.onDevice;
    add(*states.onDevice, bytesOf(state.tensor, states.batch.powers.size()));
  }
  // Add one unit, so that the offset of an empty last tensor is inside the memory, too.
  states.onDevice->fixed += int64_t(alignment);
}
