//===- TextHooks.cpp - libFuzzer's hooks for readers of text --------------===//
//
// If a program defines these functions, libFuzzer calls them to mutate an input and to combine two inputs.
//
//===----------------------------------------------------------------------===//

#include "TextMutator.h"

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  return heddle::mutateText(data, size, maxSize, seed);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize, const uint8_t *second,
                                            size_t secondSize, uint8_t *out, size_t maxSize, unsigned seed) {
  return heddle::crossTexts(first, firstSize, second, secondSize, out, maxSize, seed);
}
