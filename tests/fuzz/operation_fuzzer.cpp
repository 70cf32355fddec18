//===- operation_fuzzer.cpp - quoted operations ---------------------------===//

#include "Fuzz.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace heddle;

/// Whether the operation has sizes for which the program would create gigabytes of weights.
static bool asksForMuch(llvm::StringRef text) {
  int digits = 0, maximum = 0;
  for (char c : text)
    maximum = std::max(maximum, digits = llvm::isDigit(c) ? digits + 1 : 0);
  return maximum > 3 && text.contains("constant");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text = asText(data, size);
  if (asksForMuch(text) || llvm::sys::fs::exists(text))
    return -1;
  tryModel(text, /*inRanges=*/false);
  return 0;
}
