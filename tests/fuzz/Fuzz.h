//===- Fuzz.h - what the fuzz targets have in common ------------*- C++ -*-===//
//
// A target reads one file of anybody's. It may refuse whatever it likes, with a text; what it takes is
// used as far as is cheap: recognised, its weights made, interpreted where it is small.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TESTS_FUZZ_FUZZ_H
#define HEDDLE_TESTS_FUZZ_FUZZ_H

#include "../import/Diagnostics.h"
#include "../import/TempDir.h"

#include "heddle/Import.h"

/// What libFuzzer calls with each input: 0, or -1 for one that the corpus shall not have.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace heddle {

inline llvm::StringRef asText(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

/// Ends the process where something does not hold that must: libFuzzer keeps the input.
void require(bool holds, const char *what);

/// Imports a model and uses it. Sizes that it leaves open are as suggested, or lie in ranges if so asked.
void tryModel(llvm::StringRef model, bool inRanges);

} // namespace heddle

#endif // HEDDLE_TESTS_FUZZ_FUZZ_H
