//===- runner_fuzzer.cpp - .safetensors files, as heddle-runner reads them ===//

#include "Fuzz.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>
#include <vector>

extern "C" {
#include "../../runtime/runner/tensorfile.h"
}

using namespace heddle;

/// Copies the elements of an array. The copy reads all elements, so that AddressSanitizer reports an array that extends
/// beyond the contents of the file.
static std::vector<char> elementsOf(const heddle_array &array) {
  std::vector<char> copy(array_bytes(&array));
  if (!copy.empty())
    std::memcpy(copy.data(), array.place.host, copy.size());
  return copy;
}

/// Returns the tensors of the file with the names below whose element types Heddle supports. The names are those in the
/// initial inputs (seeds.py).
static std::vector<heddle_array> tensorsIn(const tensor_file &file) {
  static const char *const names[] = {"f32", "f64", "f16", "bf16", "i64", "i32", "i8", "bool"};
  std::vector<heddle_array> arrays;
  heddle_array array;
  for (const char *name : names)
    if (tensor_file_find(&file, name, &array) && array.type)
      arrays.push_back(array);
  return arrays;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const TempDir dir;
  std::string path = dir.write("input.safetensors", asText(data, size)), copy = dir.file("copy.safetensors");
  tensor_file file, again;
  if (const char *wrong = tensor_file_read(&file, path.c_str())) {
    require(*wrong, "a file is refused without an error");
    return 0;
  }
  // Tensors that are read from a file can be written to another file, and are equal when they are read again.
  std::vector<heddle_array> arrays = tensorsIn(file);
  require(!tensor_file_write(copy.c_str(), arrays.data(), arrays.size()), "tensors cannot be written");
  require(!tensor_file_read(&again, copy.c_str()), "a written file cannot be read");
  std::vector<heddle_array> others = tensorsIn(again);
  require(arrays.size() == others.size(), "a tensor is missing");
  for (auto [array, other] : llvm::zip_equal(arrays, others)) {
    llvm::ArrayRef<int64_t> shape(array.shape, array.rank), otherShape(other.shape, other.rank);
    require(array.type == other.type && shape == otherShape && elementsOf(array) == elementsOf(other),
            "a tensor changed when written");
  }
  tensor_file_free(&again);
  tensor_file_free(&file);
  return 0;
}
