//===- operation_fuzzer.cpp - operations as command-line arguments --------===//

#include "Fuzz.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace heddle;

/// Returns whether the operation has constant weights and contains a number of more than three digits. With such sizes,
/// the importer might create gigabytes of weights.
static bool mayHaveLargeWeights(llvm::StringRef text) {
  int digits = 0, maximum = 0;
  for (char c : text)
    maximum = std::max(maximum, digits = llvm::isDigit(c) ? digits + 1 : 0);
  return maximum > 3 && text.contains("constant");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text = asText(data, size);
  if (mayHaveLargeWeights(text) || llvm::sys::fs::exists(text))
    return -1;
  tryModel(text, /*inRanges=*/false);
  return 0;
}
