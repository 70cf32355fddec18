//===- SafetensorsHooks.cpp - mutations of .safetensors headers -----------===//

#include "TextMutator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

#include <vector>

using namespace heddle;

/// A function of libFuzzer that applies one of its own mutations to the bytes in place and returns their new size.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

/// libFuzzer calls this function to mutate an input in place; the result is the new size. The function mutates the JSON
/// header of a .safetensors file as a text, and updates the size of the header at the beginning of the file. Readers
/// reject a file whose header has another size, so the code after this check would hardly be tested otherwise.
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
