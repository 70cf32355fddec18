//===- safetensors_fuzzer.cpp - .safetensors files ------------------------===//

#include "Fuzz.h"
#include "TextMutator.h"

#include "heddle/Safetensors.h"
#include "interpreter/Tensor.h"

#include "llvm/Support/Endian.h"

using namespace heddle;
using namespace mlir;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const TempDir dir;
  std::string path = dir.write("input.safetensors", asText(data, size));
  TestContext context;
  WeightStore store;
  if (failed(readSafetensors(context, path, store))) {
    require(!context.take().empty(), "a file is refused without an error");
    return 0;
  }
  // What was read can be written, and is then read as the same.
  std::vector<std::pair<std::string, StoredTensor>> tensors;
  for (StringRef name : store.names()) {
    const StoredTensor &tensor = *store.find(name);
    (void)Tensor::fromBytes(tensor.type.getShape(), tensor.type.getElementType(), tensor.bytes);
    tensors.emplace_back(name, tensor);
  }
  std::string copy = dir.file("copy.safetensors");
  WeightStore again;
  require(succeeded(writeSafetensors(context, copy, tensors)), "what was read cannot be written");
  require(succeeded(readSafetensors(context, copy, again)), "what was written cannot be read");
  for (const auto &[name, tensor] : tensors) {
    const StoredTensor *other = again.find(name);
    require(other && other->type == tensor.type && other->bytes == tensor.bytes, "a tensor changed when written");
  }
  return 0;
}

/// The size that stands before the header is kept that of the header, or else all that follows were in vain.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  constexpr size_t sizeBytes = 8;
  uint64_t length = size < sizeBytes ? 0 : llvm::support::endian::read64le(data);
  if (length == 0 || length > size - sizeBytes || seed % 8 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::vector<uint8_t> tail(data + sizeBytes + length, data + size);
  length = mutateText(data + sizeBytes, length, maxSize - sizeBytes - tail.size(), seed);
  llvm::support::endian::write64le(data, length);
  llvm::copy(tail, data + sizeBytes + length);
  return sizeBytes + length + tail.size();
}
