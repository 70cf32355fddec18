//===- GgufHeader.h - reads the header of a GGUF file -----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_GGUF_GGUFHEADER_H
#define HEDDLE_IMPORT_GGUF_GGUFHEADER_H

#include "GgufFile.h"

namespace heddle {

/// Reads the header of a file from its first byte to its last: the magic number and the version, the metadata, and the
/// names, types, shapes and offsets of the tensors. Every number is checked before it is used. The memory and the time
/// that a header takes are proportional to the size of the file.
class GgufHeader {
public:
  /// `loc` is the path of the file and `data` its content.
  GgufHeader(mlir::Location loc, llvm::StringRef data) : loc(loc), data(data) {}

  /// Reads the whole header. Emits an error if the file is not valid.
  mlir::LogicalResult read(std::vector<std::pair<llvm::StringRef, GgufValue>> &values,
                           std::vector<GgufTensor> &tensors);

private:
  /// Begins an error about the bytes at offset `at`, which belong to `item`.
  mlir::InFlightDiagnostic refuse(uint64_t at);
  /// Returns the number of bytes that follow `position`.
  uint64_t rest() const { return data.size() - position; }

  // These functions read at `position`, and advance it to the end of what they have read. `what` describes what is
  // read.
  template <typename T>
  mlir::FailureOr<T> number(llvm::StringRef what);
  mlir::FailureOr<llvm::StringRef> bytes(uint64_t count, llvm::StringRef what);
  mlir::FailureOr<llvm::StringRef> string(llvm::StringRef what);
  /// Reads the number of items in a list. Each item has at least `least` bytes, so a number is refused if the file is
  /// too short for it.
  mlir::FailureOr<uint64_t> count(llvm::StringRef what, uint64_t least);
  mlir::FailureOr<GgufKind> kind(llvm::StringRef what);
  mlir::FailureOr<GgufValue> value();
  mlir::LogicalResult elements(GgufValue &array);
  /// Checks that each byte is 0 or 1.
  mlir::LogicalResult checkBools(const GgufValue &value);
  /// Sets the alignment of tensors from the value of the key general.alignment.
  mlir::LogicalResult readAlignment(const GgufValue &value);
  mlir::FailureOr<GgufTensor> tensor(uint64_t &offset);
  /// Sets the bytes of each tensor from its offset in the section of tensor data. This section begins at `position`,
  /// rounded up to a multiple of `alignment`.
  mlir::LogicalResult placeTensors(llvm::MutableArrayRef<GgufTensor> tensors, llvm::ArrayRef<uint64_t> offsets);

  mlir::Location loc;
  llvm::StringRef data;
  uint64_t position = 0;
  std::string item;        // what is being read, for messages, such as "key 'general.name'"
  uint32_t alignment = 32; // the alignment of tensors in bytes
};

} // namespace heddle

#endif // HEDDLE_IMPORT_GGUF_GGUFHEADER_H
