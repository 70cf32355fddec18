//===- runner_fuzzer.cpp - .safetensors files, as heddle-runner reads them ===//

#include "Fuzz.h"

#include <cstring>
#include <vector>

extern "C" {
#include "../../runtime/runner/safetensors.h"
}

using namespace heddle;

/// Copies the bytes, so that AddressSanitizer reports a read outside of the file.
static void readAll(const void *data, size_t size) {
  std::vector<char> copy(size);
  std::memcpy(copy.data(), data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const TempDir dir;
  static const char *const names[] = {"f32", "f64", "f16", "bf16", "i64", "i32", "i8", "bool"};
  std::string path = dir.write("input.safetensors", asText(data, size));
  tensor_file file;
  if (const char *wrong = tensor_file_read(&file, path.c_str())) {
    require(*wrong, "a file is refused without an error");
    return 0;
  }
  for (const char *name : names) {
    int64_t shape[TENSOR_MAX_RANK];
    heddle_array array;
    const char *wrong = tensor_file_find(&file, name, shape, &array);
    require(!wrong || *wrong, "a tensor is refused without an error");
    if (wrong || !array.name)
      continue;
    require(array.rank <= TENSOR_MAX_RANK, "the rank of a tensor exceeds TENSOR_MAX_RANK");
    readAll(array.shape, sizeof *array.shape * array.rank);
    if (array.type)
      readAll(array.place.host, array_bytes(&array));
  }
  tensor_file_free(&file);
  return 0;
}
