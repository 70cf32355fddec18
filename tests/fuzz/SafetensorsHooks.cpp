//===- SafetensorsHooks.cpp - mutations of .safetensors headers -----------===//

#include "TextMutator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

#include <vector>

using namespace heddle;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

/// Mutates the header of a .safetensors file as a text, and updates the header's size in front of it. Readers reject
/// files in which this size is wrong, so that the rest of the reader would not be tested.
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
