//===- TextMutator.h - mutations of texts -----------------------*- C++ -*-===//
//
// Texts with random byte changes are rejected at the start of a parser. Removing, repeating and exchanging words and
// lines, and taking them from another text, gets further.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TESTS_FUZZ_TEXTMUTATOR_H
#define HEDDLE_TESTS_FUZZ_TEXTMUTATOR_H

#include <cstddef>
#include <cstdint>

namespace heddle {

/// Mutates the text in place; returns its new size, at most `maxSize`. Some mutations are libFuzzer's own, of bytes and
/// with words of the dictionary.
size_t mutateText(uint8_t *data, size_t size, size_t maxSize, unsigned seed);

/// Writes the first text to `out` with a part of the second one inserted; returns the size, at most `maxSize`.
size_t crossTexts(const uint8_t *first, size_t firstSize, const uint8_t *second, size_t secondSize, uint8_t *out,
                  size_t maxSize, unsigned seed);

} // namespace heddle

#endif // HEDDLE_TESTS_FUZZ_TEXTMUTATOR_H
