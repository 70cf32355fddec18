//===- TextMutator.h - mutations of texts -----------------------*- C++ -*-===//
//
// A parser rejects most texts with random byte changes at once. The mutations in this file remove, repeat or exchange
// words and lines, or copy them from another text, so that more texts reach the code that runs after the parser. `seed`
// determines the random choices.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TESTS_FUZZ_TEXTMUTATOR_H
#define HEDDLE_TESTS_FUZZ_TEXTMUTATOR_H

#include <cstddef>
#include <cstdint>

namespace heddle {

/// Mutates the text in place and returns its new size, which is at most `maxSize`. A third of the mutations are
/// libFuzzer's own, which change bytes and insert words of the dictionary.
size_t mutateText(uint8_t *data, size_t size, size_t maxSize, unsigned seed);

/// Writes the first text to `out`, with a part of the second text inserted. Returns the size, which is at most
/// `maxSize`.
size_t crossTexts(const uint8_t *first, size_t firstSize, const uint8_t *second, size_t secondSize, uint8_t *out,
                  size_t maxSize, unsigned seed);

} // namespace heddle

#endif // HEDDLE_TESTS_FUZZ_TEXTMUTATOR_H
