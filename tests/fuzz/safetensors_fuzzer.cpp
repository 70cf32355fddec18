//===- safetensors_fuzzer.cpp - .safetensors files ------------------------===//

#include "Fuzz.h"

#include "heddle/Safetensors.h"
#include "interpreter/Tensor.h"

using namespace heddle;
using namespace mlir;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const TempDir dir;
  std::string path = dir.write("input.safetensors", asText(data, size));
  TestContext context;
  WeightStore store;
  if (failed(readSafetensors(context, path, store))) {
    require(!context.take().empty(), "a file is refused without an error");
    return 0;
  }
  // The tensors are written to a second file, from which the same tensors must be read.
  std::vector<std::pair<std::string, StoredTensor>> tensors;
  for (StringRef name : store.names()) {
    const StoredTensor &tensor = *store.find(name);
    // The conversion reads all bytes of the tensor, and may return failure, but must not crash.
    (void)Tensor::fromBytes(tensor.type.getShape(), tensor.type.getElementType(), tensor.bytes);
    tensors.emplace_back(name, tensor);
  }
  std::string copy = dir.file("copy.safetensors");
  WeightStore again;
  require(succeeded(writeSafetensors(context, copy, tensors)), "tensors that were read cannot be written");
  require(succeeded(readSafetensors(context, copy, again)), "a file that was written cannot be read");
  for (const auto &[name, tensor] : tensors) {
    const StoredTensor *other = again.find(name);
    require(other && other->type == tensor.type && other->bytes == tensor.bytes, "a tensor was changed by writing");
  }
  return 0;
}
