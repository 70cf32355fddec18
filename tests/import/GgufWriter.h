//===- GgufWriter.h - writes GGUF files for tests ---------------*- C++ -*-===//

#ifndef HEDDLE_TESTS_IMPORT_GGUFWRITER_H
#define HEDDLE_TESTS_IMPORT_GGUFWRITER_H

#include "../../compiler/import/gguf/GgufFile.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"

#include <string>
#include <vector>

/// The numbers by which GGUF files identify the types of tensors.
inline constexpr uint32_t ggufF32 = 0, ggufF16 = 1, ggufQ40 = 2, ggufQ41 = 3, ggufQ8 = 8, ggufBf16 = 30;

/// Returns the bytes of a number, lowest first.
template <typename T>
std::string ggufBytes(T number) {
  std::string bytes(sizeof(T), '\0');
  llvm::support::endian::write<T>(bytes.data(), number, llvm::endianness::little);
  return bytes;
}

/// Returns a string with its length before it.
inline std::string ggufText(llvm::StringRef text) { return ggufBytes<uint64_t>(text.size()) + text.str(); }

/// Builds the bytes of a GGUF file. The members may be changed to build a file that is not valid.
struct GgufWriter {
  struct Key {
    std::string name;
    heddle::GgufKind kind;
    std::string bytes; // the bytes of the value
  };
  struct Tensor {
    std::string name;
    std::vector<int64_t> shape; // row-major
    uint32_t type;
    std::string bytes;
    std::optional<uint64_t> offset = std::nullopt; // if not set, the first aligned offset after the previous tensor
  };
  uint32_t version = 3;
  uint64_t alignment = 32; // of the data of tensors; bytes() does not write it as a key
  std::optional<uint64_t> keyCount, tensorCount; // if not set, the true numbers
  std::vector<Key> keys;
  std::vector<Tensor> tensors;

  /// Copies the content of a file.
  static GgufWriter from(const heddle::GgufFile &file) {
    GgufWriter writer;
    for (const auto &[name, value] : file.getValues()) {
      std::string bytes = value.bytes.str();
      if (value.kind == heddle::GgufKind::Array)
        bytes = ggufBytes(uint32_t(value.element)) + ggufBytes(value.count) + bytes;
      else if (value.kind == heddle::GgufKind::String)
        bytes = ggufText(value.bytes);
      writer.keys.push_back({name.str(), value.kind, bytes});
    }
    for (const heddle::GgufTensor &tensor : file.getTensors())
      writer.tensors.push_back({tensor.name.str(), std::vector<int64_t>(tensor.shape.begin(), tensor.shape.end()),
                                tensor.type.number, tensor.bytes.str()});
    return writer;
  }

  /// Adds a key, or replaces its kind and value if the file has the key already.
  void set(llvm::StringRef name, heddle::GgufKind kind, const std::string &bytes) {
    for (Key &key : keys)
      if (key.name == name)
        return (void)(key = {name.str(), kind, bytes});
    keys.push_back({name.str(), kind, bytes});
  }
  void set(llvm::StringRef name, uint32_t number) { set(name, heddle::GgufKind::UInt32, ggufBytes(number)); }
  void set(llvm::StringRef name, float number) {
    set(name, heddle::GgufKind::Float32, ggufBytes(llvm::bit_cast<uint32_t>(number)));
  }
  void set(llvm::StringRef name, const char *text) { set(name, heddle::GgufKind::String, ggufText(text)); }
  void erase(llvm::StringRef name) {
    llvm::erase_if(keys, [&](const Key &key) { return key.name == name; });
  }
  Tensor *find(llvm::StringRef name) {
    auto found = llvm::find_if(tensors, [&](const Tensor &tensor) { return tensor.name == name; });
    return found == tensors.end() ? nullptr : &*found;
  }

  /// Returns the header up to the first key.
  std::string begin() const {
    return "GGUF" + ggufBytes(version) + ggufBytes(tensorCount.value_or(tensors.size())) +
           ggufBytes(keyCount.value_or(keys.size()));
  }

  /// Returns the bytes of the file.
  std::string bytes() const {
    std::string file = begin(), data;
    for (const Key &key : keys)
      file += ggufText(key.name) + ggufBytes(uint32_t(key.kind)) + key.bytes;
    for (const Tensor &tensor : tensors) {
      data.resize(llvm::alignTo(data.size(), alignment));
      file += ggufText(tensor.name) + ggufBytes(uint32_t(tensor.shape.size()));
      for (int64_t size : llvm::reverse(tensor.shape))
        file += ggufBytes(uint64_t(size));
      file += ggufBytes(tensor.type) + ggufBytes(tensor.offset.value_or(data.size()));
      data += tensor.bytes;
    }
    file.resize(llvm::alignTo(file.size(), alignment));
    return file + data;
  }
};

#endif // HEDDLE_TESTS_IMPORT_GGUFWRITER_H
