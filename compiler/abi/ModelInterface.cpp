//===- ModelInterface.cpp - the interface of a compiled model -------------===//

#include "ModelInterface.h"
#include "HeaderNames.h"
#include "InterfaceExtents.h"

#include "heddle/AbiType.h"
#include "heddle/Identifier.h"
#include "heddle/WeightTable.h"

#include "Notes.h"
#include "Sizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace heddle;

bool InterfaceTensor::isFixed() const {
  return llvm::all_of(powers, [](auto &factors) { return llvm::all_of(factors, [](uint8_t n) { return n == 0; }); });
}

bool InterfaceTensor::mayBeEmpty(ArrayRef<int64_t> lows) const {
  if (llvm::is_contained(shape, 0))
    return true;
  return llvm::any_of(powers, [&](auto &factors) {
    return llvm::any_of(llvm::zip_equal(lows, factors),
                        [](auto pair) { return std::get<0>(pair) == 0 && std::get<1>(pair); });
  });
}

uint64_t InterfaceTensor::elementCount() const {
  uint64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

std::string ModelInterface::getSuffix(unsigned variant) const {
  return (variants.size() == 1 ? "" : "_" + makeIdentifier(variants[variant].name)) + classSuffix;
}

/// Returns `each` times the product of the maxima of sizes, where `powers` contains the power of each size; UINT64_MAX
/// if the result does not fit into 64 bits.
static uint64_t maxOf(uint64_t each, ArrayRef<uint8_t> powers, ArrayRef<int64_t> highs) {
  for (auto [high, power] : llvm::zip_equal(highs, powers))
    for (unsigned n = 0; n < power; ++n)
      each = llvm::SaturatingMultiply(each, uint64_t(high));
  return each;
}

uint64_t InterfaceBytes::maximum(ArrayRef<int64_t> highs) const {
  uint64_t sum = fixed;
  for (const auto &[product, count] : pieces) {
    uint64_t bytes = maxOf(product.each, product.powers, highs);
    sum = llvm::SaturatingMultiplyAdd(llvm::SaturatingAdd(bytes, unit - 1) / unit * unit, uint64_t(count), sum);
  }
  return sum;
}

std::vector<int64_t> ModelInterface::lows() const {
  std::vector<int64_t> lows;
  for (const InterfaceSize &size : sizes)
    lows.push_back(size.low);
  for (const InterfaceDerived &size : derived)
    lows.push_back(size.low);
  return lows;
}

std::vector<int64_t> ModelInterface::highs() const {
  std::vector<int64_t> highs;
  for (const InterfaceSize &size : sizes)
    highs.push_back(size.high);
  for (const InterfaceDerived &size : derived)
    highs.push_back(size.high);
  return highs;
}

uint64_t ModelInterface::maxBytes(const InterfaceTensor &tensor) const {
  uint64_t bytes = tensor.elementCount() * tensor.elementSize();
  for (auto &powers : tensor.powers)
    bytes = maxOf(bytes, powers, highs());
  return bytes;
}

uint64_t ModelInterface::arenaBytes() const {
  uint64_t maximum = 0;
  for (const ModelInterface &one : classes)
    maximum = std::max(maximum, one.arenaBytes());
  if (!classes.empty())
    return maximum;
  for (const InterfaceBytes &bytes : arenaSizes)
    maximum = std::max(maximum, bytes.maximum(highs()));
  return llvm::SaturatingAdd(maximum, arenaSlack, uint64_t(workerSize));
}

static InterfaceBytes readBytes(const ArenaBytes &bytes, const Sizes &sizes) {
  InterfaceBytes read{bytes.fixed, {}};
  for (auto [each, product] : bytes.products)
    read.pieces.push_back({{each, powersOf(sizes.of(product), sizes)}});
  return read;
}

InterfaceProduct heddle::readProduct(int64_t number, const Sizes &sizes) {
  Extent product = sizes.of(number);
  return {product.factor(), powersOf(product, sizes)};
}

/// Reads the tensor that is parameter `i` of the compiled @main. Adds the tensor's identifier to `names`.
static FailureOr<InterfaceTensor> readTensor(func::FuncOp main, unsigned i, const ModelInterface &interface,
                                             HeaderNames &names) {
  InterfaceTensor tensor;
  auto memref = dyn_cast<MemRefType>(main.getArgumentTypes()[i]);
  std::optional<heddle_type> type;
  // Booleans are passed as bytes, since vectors of i1 would be stored as bits.
  if (notes::boolean.has(main, i))
    type = HEDDLE_BOOL;
  else if (memref && !memref.getElementType().isInteger(1))
    type = abiType(memref.getElementType());
  if (!memref || !type)
    return main.emitError("argument ") << i << " of type " << main.getArgumentTypes()[i]
                                       << " has no type in the C interface";
  tensor.type = *type;
  tensor.shape = memref.getShape();
  if (std::optional<StringRef> state = notes::state.get(main, i))
    tensor.name = state->str();
  else if (std::optional<StringRef> name = notes::name.get(main, i))
    tensor.name = name->str();
  else
    tensor.name = (notes::result.has(main, i) ? "output" : "input") + std::to_string(i);
  tensor.identifier = names.addTensor(tensor.name);
  tensor.dims.resize(tensor.shape.size());
  Sizes sizes(main);
  if (std::optional<Strings> dims = notes::dims.get(main, i))
    for (auto [d, dim] : llvm::enumerate(*dims)) {
      if (d >= tensor.dims.size())
        break;
      // If two sizes have the same name, only the first one keeps the name.
      auto named = llvm::find_if(interface.dims, [&, dim = dim](const NamedSize &size) { return size.name == dim; });
      if (named != interface.dims.end() && named->isFixed() && named->low == tensor.shape[d])
        tensor.dims[d] = named->identifier;
    }
  readExtents(tensor, sizes, interface);
  if (auto range = notes::range.get(main, i))
    tensor.range = {readBound(range->low, /*isLow=*/true, sizes, interface),
                    readBound(range->high, /*isLow=*/false, sizes, interface)};
  if (std::optional<int64_t> value = notes::defaultValue.get(main, i))
    tensor.defaultValue = *value;
  if (std::optional<StringRef> mask = notes::zeroWhere.get(main, i))
    tensor.zeroWhere = mask->str();
  if (std::optional<ArenaBytes> offset = notes::arenaOffset.get(main, i))
    tensor.arenaOffsets = {readBytes(*offset, sizes)};
  return tensor;
}

/// Returns the states of the interface. The first call of this function adds an input for their memory.
static InterfaceStates &statesOf(ModelInterface &interface, HeaderNames &names) {
  if (!interface.states) {
    interface.states.emplace();
    interface.states->input = unsigned(interface.inputs.size());
    InterfaceTensor memory;
    memory.name = "state";
    memory.identifier = names.addTensor(memory.name);
    memory.type = HEDDLE_I8;
    memory.isStates = true;
    interface.inputs.push_back(std::move(memory));
  }
  return *interface.states;
}

/// Adds the tensor that is parameter `i` of the compiled @main to the states of the interface.
static LogicalResult readState(func::FuncOp main, unsigned i, ModelInterface &interface, HeaderNames &names) {
  HeaderNames apart; // a state is not a member of a struct, so its name may equal that of a member
  FailureOr<InterfaceTensor> tensor = readTensor(main, i, interface, apart);
  if (failed(tensor))
    return failure();
  InterfaceStates &states = statesOf(interface, names);
  interface.arguments.push_back({InterfaceArgument::State, unsigned(states.all.size())});
  states.all.push_back({std::move(*tensor), {}, notes::stateReplaced.has(main, i)});
  return success();
}

FailureOr<ModelInterface> heddle::readInterface(ModuleOp module) {
  ModelInterface interface;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  std::optional<ArenaBytes> arenaSize = notes::arenaSize.get(module);
  std::optional<int64_t> workerSize = notes::workerSize.get(module),
                         weightsSize = notes::weightsSize.get(module);
  if (!main || !arenaSize || !workerSize || !weightsSize || !notes::weights.argumentOf(main) ||
      !notes::arena.argumentOf(main))
    return module.emitError("expected a module after stage plan, with @main and annotations of its arena and weights");
  Sizes sizes(main);
  interface.arenaSizes = {readBytes(*arenaSize, sizes)};
  interface.workerSize = *workerSize;
  interface.weightsSize = *weightsSize;
  interface.source = notes::source.get(module).value_or("").str();
  for (const SizeRange &size : sizes.all())
    interface.sizes.push_back({size.name.str(), "", size.low, size.high});
  HeaderNames names;
  interface.dims = readNamedSizes(main, sizes);
  for (NamedSize &dim : interface.dims) {
    dim.identifier = names.addSize(dim.name);
    if (dim.number)
      interface.sizes[*dim.number].identifier = dim.identifier;
  }
  readDerived(interface, module);
  std::optional<unsigned> past;
  for (unsigned i = 0, e = main.getNumArguments(); i < e; ++i) {
    if (notes::weights.has(main, i)) {
      interface.arguments.push_back({InterfaceArgument::Weights, 0});
      continue;
    }
    if (notes::arena.has(main, i)) {
      interface.arguments.push_back({InterfaceArgument::Arena, 0});
      continue;
    }
    if (notes::indexCheck.has(main, i)) {
      HeaderNames apart; // callers do not see the name of this tensor
      FailureOr<InterfaceTensor> check = readTensor(main, i, interface, apart);
      if (failed(check))
        return failure();
      interface.indexCheck = std::move(*check);
      interface.arguments.push_back({InterfaceArgument::IndexCheck, 0});
      continue;
    }
    if (notes::state.has(main, i)) {
      if (failed(readState(main, i, interface, names)))
        return failure();
      continue;
    }
    if (notes::statePast.has(main, i))
      past = unsigned(interface.inputs.size());
    bool isResult = notes::result.has(main, i);
    std::vector<InterfaceTensor> &tensors = isResult ? interface.outputs : interface.inputs;
    FailureOr<InterfaceTensor> tensor = readTensor(main, i, interface, names);
    if (failed(tensor))
      return failure();
    interface.arguments.push_back(
        {isResult ? InterfaceArgument::Output : InterfaceArgument::Input, unsigned(tensors.size())});
    tensors.push_back(std::move(*tensor));
  }
  if (interface.states) {
    interface.states->past = past;
    if (failed(layOutStates(interface, main, sizes)))
      return failure();
  }
  return interface;
}

void heddle::addVariant(ModelInterface &interface, const ModelInterface &variant) {
  auto addOffsets = [](MutableArrayRef<InterfaceTensor> tensors, ArrayRef<InterfaceTensor> others) {
    for (auto [tensor, other] : llvm::zip_equal(tensors, others))
      llvm::append_range(tensor.arenaOffsets, other.arenaOffsets);
  };
  addOffsets(interface.inputs, variant.inputs);
  addOffsets(interface.outputs, variant.outputs);
  if (interface.indexCheck)
    addOffsets(*interface.indexCheck, *variant.indexCheck);
  llvm::append_range(interface.variants, variant.variants);
  llvm::append_range(interface.arenaSizes, variant.arenaSizes);
  interface.workerSize = std::max(interface.workerSize, variant.workerSize);
  interface.weightsSize = variant.weightsSize; // the weights of earlier variants, plus those that the new variant adds
}
