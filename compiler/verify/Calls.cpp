//===- Calls.cpp - calls of compiled code with tensors --------------------===//

#include "heddle/Calls.h"

#include "heddle/AbiType.h"
#include "heddle/Inputs.h"
#include "heddle/PrecisionChoice.h"
#include "heddle/PrintError.h"
#include "heddle/call.h"

#include "Notes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace heddle {

FailureOr<SmallVector<Tensor>> call(Session &session, func::FuncOp main, ArrayRef<std::optional<Tensor>> inputs,
                                    const heddle_executor *executor, const heddle_state_memory *state) {
  std::vector<std::vector<char>> inputBytes, outputBytes;
  std::vector<const void *> inputPointers;
  std::vector<void *> outputPointers;
  for (const std::optional<Tensor> &input : inputs) {
    inputBytes.push_back(input ? input->toBytes() : std::vector<char>());
    // A tensor without elements has no bytes. Its pointer must not be null, because null means that the input is
    // absent.
    static char nothing[64];
    inputPointers.push_back(!input ? nullptr : inputBytes.back().empty() ? nothing : inputBytes.back().data());
  }
  for (auto [i, input] : llvm::enumerate(ArrayRef(session.model().inputs, session.model().input_count)))
    if (input.state)
      inputPointers.insert(inputPointers.begin() + i, state);
  std::vector<Port> outputs = outputPorts(main);
  for (const Port &port : outputs) {
    // All bytes are 0xff, which is NaN for floats, so that the comparison finds elements that the call does not write.
    outputBytes.emplace_back(
        std::max<int64_t>(port.type.getNumElements() * Tensor::byteWidth(port.type.getElementType()), 1), char(0xff));
    outputPointers.push_back(outputBytes.back().data());
  }
  llvm::Error error = session.poisonArena(executor);
  if (!error)
    error = session.run(inputPointers, outputPointers, executor);
  if (error) {
    printError(std::move(error));
    return failure();
  }
  SmallVector<Tensor> results;
  for (auto [port, bytes] : llvm::zip_equal(outputs, outputBytes)) {
    bytes.resize(port.type.getNumElements() * Tensor::byteWidth(port.type.getElementType()));
    FailureOr<Tensor> tensor = Tensor::fromBytes(port.type.getShape(), port.type.getElementType(), bytes);
    if (failed(tensor))
      return failure();
    results.push_back(std::move(*tensor));
  }
  return results;
}

/// Checks that a library's tensors `found` have the names, shapes and types of the model's tensors `expected`. Prints
/// an error otherwise. `what` is the kind of the tensors, such as "input".
static LogicalResult checkTensors(const heddle_model &library, ArrayRef<heddle_tensor> found, ArrayRef<Port> expected,
                                  ArrayRef<size_t> sizes, StringRef what, StringRef path) {
  auto complain = [&]() -> llvm::raw_ostream & {
    return llvm::errs() << path << ": error: the library was not compiled from this model: ";
  };
  auto describe = [&](StringRef name, ArrayRef<int64_t> shape, Type element) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << what << " '" << name << "' of shape [";
    llvm::interleaveComma(shape, os);
    os << "] and ";
    if (element)
      os << "type " << element;
    else
      os << "an unknown type";
    return text;
  };
  if (found.size() != expected.size()) {
    complain() << "the library has " << found.size() << " " << what << (found.size() == 1 ? "" : "s")
               << ", the model has " << expected.size() << "\n";
    return failure();
  }
  for (auto [tensor, port] : llvm::zip_equal(found, expected)) {
    SmallVector<int64_t> shape;
    for (uint32_t i = 0; i < tensor.rank; ++i)
      shape.push_back(heddle_extent(&library, &tensor, i, sizes.data()));
    if (port.name == tensor.name && ArrayRef<int64_t>(shape) == port.type.getShape() &&
        abiType(port.type.getElementType()) == tensor.type)
      continue;
    complain() << "the library has " << describe(tensor.name, shape, elementType(tensor.type, *port.type.getContext()))
               << ", the model has " << describe(port.name, port.type.getShape(), port.type.getElementType()) << "\n";
    return failure();
  }
  return success();
}

/// Returns the ranges of sizes that a library supports, such as "m=1..40 n=2..8".
static std::string rangesText(ArrayRef<heddle_size> sizes) {
  return llvm::join(llvm::map_range(sizes,
                                    [](const heddle_size &size) {
                                      return size.name + ("=" + std::to_string(size.low)) + ".." +
                                             std::to_string(size.high);
                                    }),
                    " ");
}

/// Returns the inputs that are tensors, without the inputs for the memory of states.
static std::vector<heddle_tensor> tensorsOf(ArrayRef<heddle_tensor> inputs) {
  std::vector<heddle_tensor> tensors;
  llvm::copy_if(inputs, std::back_inserter(tensors), [](const heddle_tensor &input) { return input.state == 0; });
  return tensors;
}

/// Returns the library's model with the tensors of its states as further inputs, because sizes are also inferred from
/// the shapes of states. `tensors` becomes the list of inputs and must outlive the result.
static heddle_model withStates(const heddle_model &library, std::vector<heddle_tensor> &tensors) {
  tensors = tensorsOf({library.inputs, library.input_count});
  for (const heddle_state &state : ArrayRef(library.states, library.state_count))
    tensors.insert(tensors.end(), state.tensors, state.tensors + state.tensor_count);
  heddle_model all = library;
  all.inputs = tensors.data();
  all.input_count = tensors.size();
  return all;
}

/// Replaces the elements SIZE_MAX of `sizes`, which are in the order of the library's sizes, by the sizes that follow
/// from the shapes of `ports`. Prints an error on failure.
static LogicalResult inferSizes(const heddle_model &library, ArrayRef<Port> ports, SizeValues &sizes, StringRef path) {
  std::vector<heddle_array> arrays;
  for (const Port &port : ports)
    arrays.push_back({port.name.c_str(), 0, uint32_t(port.type.getRank()), port.type.getShape().data(), nullptr, {}});
  char reason[512];
  std::vector<heddle_tensor> tensors;
  heddle_model all = withStates(library, tensors);
  if (heddle_infer_sizes(&all, arrays.data(), arrays.size(), sizes.data(), reason, sizeof reason) == HEDDLE_OK)
    return success();
  llvm::errs() << path << ": error: the library was not compiled from this model, or not for these sizes: " << reason
               << "; the library supports " << rangesText({library.sizes, library.size_count}) << "\n";
  return failure();
}

/// Returns the precision of layers that the name `source` of a model contains: `lowerModel` appends the precision to
/// the name. Returns nothing if the precision was not lowered.
static std::optional<PrecisionChoice> precisionIn(StringRef source) {
  PrecisionChoice choice;
  bool known = parsePrecision(source.rsplit(" in ").second, choice).empty() && choice.rounds();
  return known ? std::optional(choice) : std::nullopt;
}

/// Checks that the library and the model have the same precision of layers. Prints an error otherwise.
static LogicalResult checkPrecision(const heddle_model &library, func::FuncOp main, StringRef path) {
  StringRef made = library.source, asked = notes::source.get(main->getParentOfType<ModuleOp>()).value_or("");
  std::optional<PrecisionChoice> its = precisionIn(made), ours = precisionIn(asked);
  // The two precisions cannot be compared if one model is an .mlir file, whose layers may already have a lower
  // precision, or if an older heddle-runner does not return the source of the library.
  bool isOpen = made.empty() || (!its && made.ends_with(".mlir")) || (!ours && asked.ends_with(".mlir"));
  if (isOpen || (its ? ours && its->formats == ours->formats : !ours))
    return success();
  llvm::errs() << path << ": error: the library was not compiled from this model: it was compiled from " << made
               << ", the model is " << asked << "\n";
  return failure();
}

FailureOr<SizeValues> checkInterface(const heddle_model &library, func::FuncOp main, const NamedValues &known,
                                     StringRef path) {
  if (failed(checkPrecision(library, main, path)))
    return failure();
  ArrayRef<heddle_size> ranges(library.sizes, library.size_count);
  std::vector<Port> inputs = inputPorts(main), outputs = outputPorts(main);
  for (StringRef name : known.keys())
    if (llvm::none_of(ranges, [&](const heddle_size &size) { return name == size.name; })) {
      llvm::errs() << path << ": error: the library was not compiled from this model: size " << name
                   << " lies in a range in the model, but not in the library"
                   << (ranges.empty() ? "" : "; the library supports " + rangesText(ranges)) << "\n";
      return failure();
    }
  SizeValues sizes;
  for (const heddle_size &range : ranges) {
    auto found = known.find(range.name);
    sizes.push_back(found == known.end() ? SIZE_MAX : found->second);
    if (found == known.end() || (int64_t(found->second) >= range.low && int64_t(found->second) <= range.high))
      continue;
    llvm::errs() << path << ": error: the library cannot be called with " << range.name << "=" << found->second
                 << ": it supports " << rangesText(ranges) << "\n";
    return failure();
  }
  std::vector<Port> inputsAndStates = inputs, states = statePorts(main);
  inputsAndStates.insert(inputsAndStates.end(), states.begin(), states.end());
  if (llvm::is_contained(sizes, SIZE_MAX) && failed(inferSizes(library, inputsAndStates, sizes, path)))
    return failure();
  std::vector<heddle_tensor> kept;
  for (const heddle_state &state : ArrayRef(library.states, library.state_count))
    kept.insert(kept.end(), state.tensors, state.tensors + state.tensor_count);
  if (failed(checkTensors(library, kept, states, sizes, "state tensor", path)) ||
      failed(checkTensors(library, tensorsOf({library.inputs, library.input_count}), inputs, sizes, "input", path)) ||
      failed(checkTensors(library, ArrayRef(library.outputs, library.output_count), outputs, sizes, "output", path)))
    return failure();
  return sizes;
}

} // namespace heddle
