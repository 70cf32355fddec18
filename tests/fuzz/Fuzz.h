//===- Fuzz.h - shared code of the fuzz targets -----------------*- C++ -*-===//
//
// A target reads one file from an untrusted source. It may reject the file with an error; an accepted file is used as
// far as is cheap: recognition, weights, and interpretation if it is small.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TESTS_FUZZ_FUZZ_H
#define HEDDLE_TESTS_FUZZ_FUZZ_H

#include "../import/Diagnostics.h"
#include "../import/TempDir.h"

#include "heddle/Import.h"

/// Called by libFuzzer with each input. Returns 0, or -1 for an input that should not be in the corpus.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace heddle {

inline llvm::StringRef asText(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

/// Ends the process if a required property does not hold; libFuzzer keeps the input.
void require(bool holds, const char *what);

/// Imports a model and uses it. Dynamic sizes get suggested values, or ranges if `inRanges`.
void tryModel(llvm::StringRef model, bool inRanges);

} // namespace heddle

#endif // HEDDLE_TESTS_FUZZ_FUZZ_H
