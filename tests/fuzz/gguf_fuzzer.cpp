//===- gguf_fuzzer.cpp - GGUF files ---------------------------------------===//

#include "Fuzz.h"

#include "llvm/Support/xxhash.h"

using namespace heddle;

/// Imports the input as a GGUF file. A hash of the input determines whether its dynamic sizes lie in ranges.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const TempDir dir;
  tryModel(dir.write("model.gguf", asText(data, size)), /*inRanges=*/llvm::xxh3_64bits({data, size}) % 2);
  return 0;
}
