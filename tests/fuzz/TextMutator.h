//===- TextMutator.h - changes of texts by words and lines ------*- C++ -*-===//
//
// Bytes that change at random are refused by the first loop of a parser. Words and lines that are left out,
// repeated, exchanged, or taken from another text come further.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TESTS_FUZZ_TEXTMUTATOR_H
#define HEDDLE_TESTS_FUZZ_TEXTMUTATOR_H

#include <cstddef>
#include <cstdint>

namespace heddle {

/// Changes the text in place; returns its new size, at most `maxSize`. Some changes are libFuzzer's own, of bytes and
/// with words of the dictionary.
size_t mutateText(uint8_t *data, size_t size, size_t maxSize, unsigned seed);

/// Writes the first text to `out` with a part of the second in it; returns the size, at most `maxSize`.
size_t crossTexts(const uint8_t *first, size_t firstSize, const uint8_t *second, size_t secondSize, uint8_t *out,
                  size_t maxSize, unsigned seed);

} // namespace heddle

#endif // HEDDLE_TESTS_FUZZ_TEXTMUTATOR_H
