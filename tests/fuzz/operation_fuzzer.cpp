//===- operation_fuzzer.cpp - operations as command-line arguments --------===//
//
// A quoted operation is a model that is given as one operation in words, such as 'softmax rows=5 d=39'.
//
//===----------------------------------------------------------------------===//

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
  if (mayHaveLargeWeights(text) || llvm::sys::fs::exists(text)) // tryModel would import an existing file
    return -1;
  tryModel(text, /*inRanges=*/false);
  return 0;
}
