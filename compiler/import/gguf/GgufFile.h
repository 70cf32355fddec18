//===- GgufFile.h - the contents of a GGUF file -----------------*- C++ -*-===//
//
// llama.cpp stores language models in files of this format: metadata, which are named values, and tensors. ggml's
// docs/gguf.md describes the format.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IMPORT_GGUF_GGUFFILE_H
#define HEDDLE_IMPORT_GGUF_GGUFFILE_H

#include "GgufType.h"
#include "GgufValue.h"

#include "heddle/WeightStore.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"

namespace heddle {

/// A tensor of a file.
struct GgufTensor {
  llvm::StringRef name;
  GgufType type;
  llvm::SmallVector<int64_t, 4> shape; // row-major, so in the opposite order of the file
  llvm::StringRef bytes;
};

/// A file that is mapped into memory. Strings and bytes refer to the mapping, so nothing is copied.
class GgufFile {
public:
  /// Maps a file and reads its header. The content of the file is not trusted: the error about a file that is not valid
  /// names the offset and the key or the tensor. Only little-endian files of versions 2 and 3 are supported.
  static mlir::FailureOr<GgufFile> read(mlir::MLIRContext &context, llvm::StringRef path);

  /// The metadata and the tensors in the order of the file.
  llvm::ArrayRef<std::pair<llvm::StringRef, GgufValue>> getValues() const { return values; }
  llvm::ArrayRef<GgufTensor> getTensors() const { return tensors; }

  /// Returns the value of a key; null if the file does not have the key.
  const GgufValue *find(llvm::StringRef key) const;
  /// Returns the value of a key as JSON; null if the file does not have the key or if the value is a long array.
  llvm::json::Value get(llvm::StringRef key) const;

  /// Adds all tensors to `store`, which keeps the mapping alive, under the names `prefix` + name. storedTypeOf()
  /// describes their types. Emits an error about a tensor of a type that is not supported.
  mlir::LogicalResult addTo(WeightStore &store, llvm::StringRef prefix = "") const;

  mlir::Location getLoc() const { return loc; } // the path of the file

private:
  GgufFile(mlir::Location loc, std::shared_ptr<llvm::MemoryBuffer> buffer) : loc(loc), buffer(std::move(buffer)) {}

  mlir::Location loc;
  std::shared_ptr<llvm::MemoryBuffer> buffer; // owns the bytes of all members
  std::vector<std::pair<llvm::StringRef, GgufValue>> values;
  std::vector<GgufTensor> tensors;
  llvm::StringMap<size_t> keys; // the index of each key in `values`
};

} // namespace heddle

#endif // HEDDLE_IMPORT_GGUF_GGUFFILE_H
