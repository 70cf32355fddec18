//===- Inputs.cpp - tensors of a model's interface ------------------------===//

#include "heddle/Inputs.h"

#include "heddle/Verify.h"

#include "Notes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace heddle {

std::vector<Port> inputPorts(func::FuncOp main) {
  std::vector<Port> ports;
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes())) {
    if (notes::state.has(main, i))
      continue;
    Port port{argumentName(main, i), cast<RankedTensorType>(type), {}, {}};
    port.defaultValue = notes::defaultValue.get(main, i);
    port.isPast = notes::statePast.has(main, i);
    if (auto range = notes::range.get(main, i))
      port.range = {range->low, range->high};
    ports.push_back(std::move(port));
  }
  return ports;
}

std::vector<Port> outputPorts(func::FuncOp main) {
  std::vector<Port> ports;
  for (auto [i, type] : llvm::enumerate(main.getResultTypes()))
    if (!notes::state.getOfResult(main, i))
      ports.push_back({resultName(main, i), cast<RankedTensorType>(type), {}, {}});
  return ports;
}

std::vector<Port> statePorts(func::FuncOp main) {
  std::vector<Port> ports;
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes()))
    if (std::optional<StringRef> name = notes::state.get(main, i))
      ports.push_back({name->str(), cast<RankedTensorType>(type), {}, {}});
  return ports;
}

static Location fileLoc(MLIRContext *context, StringRef path) { return FileLineColLoc::get(context, path, 0, 0); }

/// Converts a stored tensor. Emits an error if its element type is not supported.
static FailureOr<Tensor> read(const Port &port, const StoredTensor &stored, Location loc) {
  FailureOr<Tensor> tensor = Tensor::fromBytes(stored.type.getShape(), stored.type.getElementType(), stored.bytes);
  if (failed(tensor))
    return emitError(loc) << "tensor '" << port.name << "': elements of type " << stored.type.getElementType()
                          << " are not supported";
  return tensor;
}

static LogicalResult mismatch(const Port &port, const StoredTensor &stored, Location loc) {
  return emitError(loc) << "tensor '" << port.name << "': expected " << port.type << ", found " << stored.type;
}

FailureOr<std::vector<std::optional<Tensor>>> bindInputs(func::FuncOp main, const WeightStore &file, StringRef path) {
  Location loc = fileLoc(main.getContext(), path);
  std::vector<std::optional<Tensor>> inputs;
  llvm::StringSet<> known;
  std::string past; // the name of the input with the past of the states; "" if there is none
  for (const Port &port : inputPorts(main)) {
    known.insert(port.name);
    if (port.isPast)
      past = port.name;
    const StoredTensor *stored = file.find(port.name);
    if (!stored) {
      if (!port.defaultValue && !port.isPast)
        return emitError(loc) << "the file has no tensor '" << port.name
                              << "', which the model needs as an input of type " << port.type;
      inputs.emplace_back();
      continue;
    }
    if (stored->type != port.type)
      return mismatch(port, *stored, loc);
    FailureOr<Tensor> tensor = read(port, *stored, loc);
    if (failed(tensor))
      return failure();
    inputs.push_back(std::move(*tensor));
  }
  Strings replaced = notes::replacedInputs.get(main->getParentOfType<ModuleOp>()).value_or(Strings());
  for (StringRef name : file.names()) {
    if (known.contains(name))
      continue;
    if (!llvm::is_contained(replaced, name)) {
      emitRemark(loc) << "tensor '" << name << "' is not an input of the model and is ignored";
      continue;
    }
    InFlightDiagnostic error = emitError(loc) << "tensor '" << name
                                              << "' is not an input of the model, because the model keeps states: "
                                                 "remove the tensor from the file";
    if (!past.empty())
      error << ", and pass the number of earlier rows (tokens) of each sequence, which is the position of its first "
               "new row, as '"
            << past << "'";
    if (!past.empty() && name == "attention_mask")
      error << "; padding must follow the tokens of a sequence and must not be counted in '" << past
            << "' of the next call";
    return error;
  }
  return inputs;
}

FailureOr<std::vector<std::optional<Tensor>>> bindExpected(func::FuncOp main, const WeightStore &file, StringRef path) {
  Location loc = fileLoc(main.getContext(), path);
  std::vector<std::optional<Tensor>> expected;
  bool any = false;
  for (const Port &port : outputPorts(main)) {
    const StoredTensor *stored = file.find(port.name);
    if (!stored) {
      expected.emplace_back();
      continue;
    }
    any = true;
    // Expected results may have another floating-point type, for example a wider one.
    bool sameKind = isa<FloatType>(stored->type.getElementType()) == isa<FloatType>(port.type.getElementType());
    if (stored->type.getShape() != port.type.getShape() || !sameKind)
      return mismatch(port, *stored, loc);
    FailureOr<Tensor> tensor = read(port, *stored, loc);
    if (failed(tensor))
      return failure();
    expected.push_back(std::move(*tensor));
  }
  if (any)
    return expected;
  InFlightDiagnostic error = emitError(loc) << "the file has none of the model's outputs:";
  for (const Port &port : outputPorts(main))
    error << " '" << port.name << "'";
  return error;
}

std::vector<Tensor> withDefaults(func::FuncOp main, ArrayRef<std::optional<Tensor>> inputs) {
  std::vector<Tensor> values;
  for (auto [port, input] : llvm::zip_equal(inputPorts(main), inputs)) {
    if (input) {
      values.push_back(*input);
      continue;
    }
    Tensor value(port.type.getShape(), port.type.getElementType());
    if (value.isFloat())
      llvm::fill(value.mutableFloats(), double(port.defaultValue.value_or(0)));
    else
      // The default of the input `past` is 0: no rows of the state are filled.
      llvm::fill(value.mutableInts(), port.defaultValue.value_or(0));
    values.push_back(std::move(value));
  }
  return values;
}

std::string indexText(ArrayRef<int64_t> shape, int64_t i) {
  SmallVector<std::string> parts(shape.size());
  for (int64_t d = int64_t(shape.size()) - 1; d >= 0; --d) {
    parts[d] = std::to_string(i % shape[d]);
    i /= shape[d];
  }
  return "[" + llvm::join(parts, ", ") + "]";
}

LogicalResult checkRanges(func::FuncOp main, ArrayRef<std::optional<Tensor>> inputs, StringRef path) {
  for (auto [port, input] : llvm::zip_equal(inputPorts(main), inputs)) {
    if (!port.range || !input || input->isFloat())
      continue;
    for (auto [i, value] : llvm::enumerate(input->ints()))
      if (value < port.range->first || value > port.range->second)
        return emitError(fileLoc(main.getContext(), path))
               << "tensor '" << port.name << "': element " << indexText(input->shape(), i) << " is " << value
               << ", outside " << port.range->first << ".." << port.range->second;
  }
  return success();
}

} // namespace heddle
