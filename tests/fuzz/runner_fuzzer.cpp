//===- runner_fuzzer.cpp - .safetensors files, as heddle-runner reads them ===//

#include "Fuzz.h"

#include <cstring>
#include <vector>

extern "C" {
#include "../../runtime/runner/safetensors.h"
}

using namespace heddle;

/// Copies the bytes, so that one outside of the file is noticed.
static void readAll(const void *data, size_t size) {
  std::vector<char> copy(size);
  std::memcpy(copy.data(), data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const TempDir dir;
  static const int64_t shape[] = {2, 1};
  static const char *const names[] = {"f32", "f64", "f16", "bf16", "i64", "i32", "i8", "bool"};
  std::string path = dir.write("input.safetensors", asText(data, size));
  tensor_file file;
  if (const char *wrong = tensor_file_read(&file, path.c_str())) {
    require(*wrong, "a file is refused without an error");
    return 0;
  }
  for (unsigned i = 0; i < std::size(names); ++i) {
    heddle_tensor tensor = {};
    tensor.name = names[i];
    tensor.type = HEDDLE_F32 + i;
    tensor.rank = 2;
    tensor.shape = shape;
    tensor.flags = i % 2 ? HEDDLE_OPTIONAL : 0;
    if (const uint64_t *found = tensor_file_shape(&file, &tensor))
      readAll(found, sizeof *found * tensor.rank);
    const void *elements;
    const char *wrong = tensor_file_find(&file, &tensor, &elements);
    require(!wrong || *wrong, "a tensor is refused without an error");
    if (!wrong && elements)
      readAll(elements, tensor_bytes(&tensor));
  }
  tensor_file_free(&file);
  return 0;
}
