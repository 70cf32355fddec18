//===- Fuzz.h - shared code of the fuzz targets -----------------*- C++ -*-===//
//
// A fuzz target passes its input, as a file or a text, to one reader, such as the importer of .onnx files. The reader
// may reject the input with an error, but must not crash, hang or leak memory. If the reader accepts a model, the fuzz
// target also recognises layers, and interprets the model if it is small.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TESTS_FUZZ_FUZZ_H
#define HEDDLE_TESTS_FUZZ_FUZZ_H

#include "../import/Diagnostics.h"
#include "../import/TempDir.h"

#include "heddle/Import.h"

/// libFuzzer calls this function with each input. Returns 0, or -1 for an input that libFuzzer must not add to its
/// corpus.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace heddle {

inline llvm::StringRef asText(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

/// Aborts the process with the message `what` if `holds` is false. libFuzzer then keeps the input as a failing one.
void require(bool holds, const char *what);

/// Imports the model at the path `model` (or a quoted operation), recognises its layers, and interprets it if it is
/// small. Aborts if the importer rejects the model without an error. Dynamic sizes get the values that the importer
/// suggests, but at most 8. If `inRanges`, they get the range from 1 to 8 instead.
void tryModel(llvm::StringRef model, bool inRanges);

} // namespace heddle

#endif // HEDDLE_TESTS_FUZZ_FUZZ_H
