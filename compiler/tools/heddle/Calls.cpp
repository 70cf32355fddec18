//===- Calls.cpp - a model called with tensors ----------------------------===//

#include "Calls.h"

#include "CompileArguments.h"
#include "Inputs.h"

#include "heddle/AbiType.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace heddle {

FailureOr<SmallVector<Tensor>> call(Session &session, func::FuncOp main, ArrayRef<std::optional<Tensor>> inputs,
                                    const heddle_executor *executor) {
  std::vector<std::vector<char>> inputBytes, outputBytes;
  std::vector<const void *> inputPointers;
  std::vector<void *> outputPointers;
  for (const std::optional<Tensor> &input : inputs) {
    inputBytes.push_back(input ? input->toBytes() : std::vector<char>());
    // A tensor without elements has no bytes to point to, but is not absent.
    static char nothing[64];
    inputPointers.push_back(!input ? nullptr : inputBytes.back().empty() ? nothing : inputBytes.back().data());
  }
  std::vector<Port> outputs = outputPorts(main);
  for (const Port &port : outputs) {
    // All ones are NaN to a float: what the call does not write is no result.
    outputBytes.emplace_back(
        std::max<int64_t>(port.type.getNumElements() * Tensor::byteWidth(port.type.getElementType()), 1), char(0xff));
    outputPointers.push_back(outputBytes.back().data());
  }
  llvm::Error error = session.spoilArena(executor);
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

static LogicalResult checkTensors(ArrayRef<heddle_tensor> found, ArrayRef<Port> expected, StringRef what,
                                  StringRef path) {
  auto complain = [&]() -> llvm::raw_ostream & {
    return llvm::errs() << path << ": error: was not made from this model: ";
  };
  if (found.size() != expected.size()) {
    complain() << "it has " << found.size() << " " << what << "s, the model has " << expected.size() << "\n";
    return failure();
  }
  for (auto [tensor, port] : llvm::zip_equal(found, expected)) {
    ArrayRef<int64_t> shape(tensor.shape, tensor.rank);
    if (port.name == tensor.name && shape == port.type.getShape() && abiType(port.type.getElementType()) == tensor.type)
      continue;
    complain() << what << " '" << tensor.name << "' ["
               << llvm::join(llvm::map_range(shape, [](int64_t size) { return std::to_string(size); }), ", ")
               << "] where the model has '" << port.name << "' of type " << port.type << "\n";
    return failure();
  }
  return success();
}

LogicalResult checkInterface(const heddle_model &library, func::FuncOp main, StringRef path) {
  std::vector<Port> inputs = inputPorts(main), outputs = outputPorts(main);
  return success(
      succeeded(checkTensors(ArrayRef(library.inputs, library.input_count), inputs, "input", path)) &&
      succeeded(checkTensors(ArrayRef(library.outputs, library.output_count), outputs, "output", path)));
}

} // namespace heddle
