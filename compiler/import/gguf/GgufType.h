//===- GgufType.h - the types of tensors in GGUF files ----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_GGUF_GGUFTYPE_H
#define HEDDLE_IMPORT_GGUF_GGUFTYPE_H

#include "Heddle.h"

namespace heddle {

/// A type of tensors (enum ggml_type of ggml). The elements of a row are stored in blocks of equal size.
struct GgufType {
  uint32_t number; // the number that stands for the type in files
  llvm::StringRef name;
  int64_t blockLength = 0; // the number of elements of a block
  int64_t blockBytes = 0;  // the size of a block in bytes
  Format format = {};      // the format of the blocks; null for floats, and for types that Heddle does not support
};

/// Returns the type with this number; nothing if there is none.
std::optional<GgufType> findGgufType(uint32_t number, mlir::MLIRContext *context);

/// Returns the type in which a WeightStore keeps a tensor of this shape: F32, F16 and BF16 as floats of the same shape,
/// and types with a format as i8, where the last dimension is the size of a row in bytes. Returns null for a type that
/// Heddle does not support.
mlir::RankedTensorType storedTypeOf(const GgufType &type, llvm::ArrayRef<int64_t> shape, mlir::MLIRContext *context);

/// Returns the names of the types for which storedTypeOf() returns a type, for messages.
std::string supportedGgufTypes(mlir::MLIRContext *context);

} // namespace heddle

#endif // HEDDLE_IMPORT_GGUF_GGUFTYPE_H
