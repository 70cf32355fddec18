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

static LogicalResult checkTensors(const heddle_model &library, ArrayRef<heddle_tensor> found, ArrayRef<Port> expected,
                                  ArrayRef<size_t> sizes, StringRef what, StringRef path) {
  auto complain = [&]() -> llvm::raw_ostream & {
    return llvm::errs() << path << ": error: was not made from this model: ";
  };
  if (found.size() != expected.size()) {
    complain() << "it has " << found.size() << " " << what << "s, the model has " << expected.size() << "\n";
    return failure();
  }
  for (auto [tensor, port] : llvm::zip_equal(found, expected)) {
    SmallVector<int64_t> shape;
    for (uint32_t i = 0; i < tensor.rank; ++i)
      shape.push_back(heddle_extent(&library, &tensor, i, sizes.data()));
    if (port.name == tensor.name && ArrayRef<int64_t>(shape) == port.type.getShape() && abiType(port.type.getElementType()) == tensor.type)
      continue;
    complain() << what << " '" << tensor.name << "' ["
               << llvm::join(llvm::map_range(shape, [](int64_t size) { return std::to_string(size); }), ", ")
               << "] where the model has '" << port.name << "' of type " << port.type << "\n";
    return failure();
  }
  return success();
}

/// "m=1..40 n=2..8": what a library takes.
static std::string rangesText(ArrayRef<heddle_size> sizes) {
  return llvm::join(llvm::map_range(sizes, [](const heddle_size &size) {
    return size.name + ("=" + std::to_string(size.low)) + ".." + std::to_string(size.high);
  }), " ");
}

/// What size `number` of a library is where its inputs have the shapes of `ports`: told by an extent that grows with it,
/// and with no other.
static std::optional<int64_t> sizeInShapes(const heddle_model &library, size_t number, ArrayRef<Port> ports) {
  SizeValues base;
  for (const heddle_size &size : ArrayRef(library.sizes, library.size_count))
    base.push_back(size_t(std::max<int64_t>(size.low, 1)));
  for (const heddle_tensor &tensor : ArrayRef(library.inputs, library.input_count)) {
    const Port *port = llvm::find_if(ports, [&](const Port &port) { return port.name == tensor.name; });
    if (port == ports.end() || port->type.getRank() != int64_t(tensor.rank))
      continue;
    for (uint32_t d = 0; d < tensor.rank; ++d) {
      auto extentAt = [&](size_t changed, int64_t value) {
        SizeValues sizes = base;
        sizes[changed] = size_t(value);
        return int64_t(heddle_extent(&library, &tensor, d, sizes.data()));
      };
      auto growth = [&](size_t with) {
        int64_t from = int64_t(base[with]);
        return extentAt(with, from + 1) - extentAt(with, from);
      };
      bool hasOther = false;
      for (size_t other = 0; other < base.size(); ++other)
        hasOther = hasOther || (other != number && growth(other) != 0);
      if (hasOther || growth(number) == 0)
        continue;
      int64_t wanted = port->type.getDimSize(d), least = int64_t(base[number]);
      int64_t value = least + (wanted - extentAt(number, least)) / growth(number);
      if (value >= 0 && extentAt(number, value) == wanted)
        return value;
    }
  }
  return std::nullopt;
}

FailureOr<SizeValues> checkInterface(const heddle_model &library, func::FuncOp main, const NamedValues &known,
                                     StringRef path) {
  ArrayRef<heddle_size> ranges(library.sizes, library.size_count);
  std::vector<Port> inputs = inputPorts(main), outputs = outputPorts(main);
  for (StringRef name : known.keys())
    if (llvm::none_of(ranges, [&](const heddle_size &size) { return name == size.name; })) {
      llvm::errs() << path << ": error: was not made from this model: " << name << " does not lie in a range there"
                   << (ranges.empty() ? "" : "; it takes " + rangesText(ranges)) << "\n";
      return failure();
    }
  SizeValues sizes;
  for (auto [i, range] : llvm::enumerate(ranges)) {
    auto found = known.find(range.name);
    std::optional<int64_t> size = found != known.end() ? int64_t(found->second) : sizeInShapes(library, i, inputs);
    if (!size) {
      llvm::errs() << path << ": error: was not made from this model: no input has the size that it calls " << range.name
                   << "; it takes " << rangesText(ranges) << "\n";
      return failure();
    }
    if (*size < range.low || *size > range.high) {
      llvm::errs() << path << ": error: cannot be called with " << range.name << "=" << *size << ": it takes "
                   << rangesText(ranges) << "\n";
      return failure();
    }
    sizes.push_back(size_t(*size));
  }
  if (failed(checkTensors(library, ArrayRef(library.inputs, library.input_count), inputs, sizes, "input", path)) ||
      failed(checkTensors(library, ArrayRef(library.outputs, library.output_count), outputs, sizes, "output", path)))
    return failure();
  return sizes;
}

} // namespace heddle
