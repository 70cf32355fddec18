//===- GgufValue.h - a value of a GGUF file's metadata ----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_GGUF_GGUFVALUE_H
#define HEDDLE_IMPORT_GGUF_GGUFVALUE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace heddle {

/// The kinds of metadata values, in the order of the numbers that stand for them in files (enum gguf_type of ggml).
enum class GgufKind : uint32_t {
  UInt8, Int8, UInt16, Int16, UInt32, Int32, Float32, Bool, String, Array, UInt64, Int64, Float64
};

/// Returns whether the number stands for a kind.
inline bool isGgufKind(uint32_t number) { return number <= uint32_t(GgufKind::Float64); }

/// Returns the size of a value of this kind in bytes; 0 for strings and arrays, whose sizes differ.
uint64_t sizeOf(GgufKind kind);

/// A value of the metadata: a number, a boolean, a string, or an array of such values. Arrays contain no arrays.
struct GgufValue {
  /// The largest number of elements of an array that toJson() converts.
  static constexpr uint64_t maxElements = 1 << 16;

  GgufKind kind = GgufKind::UInt8;
  GgufKind element = kind; // the kind of the elements of an array; otherwise the same as `kind`
  uint64_t count = 1;      // the number of elements of an array; otherwise 1
  /// The bytes of the value in the mapped file. Those of a string are its characters. In an array of strings, the
  /// length of each string precedes it as a 64-bit number.
  llvm::StringRef bytes = {};
  uint64_t offset = 0; // the offset of `bytes` in the file

  /// Converts the value to JSON. Returns nothing for an array with more than `maxElements` elements, such as a
  /// vocabulary.
  std::optional<llvm::json::Value> toJson() const;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_GGUF_GGUFVALUE_H
