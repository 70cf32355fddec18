//===- GgufType.h - the types of tensors in GGUF files ----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_GGUF_GGUFTYPE_H
#define HEDDLE_IMPORT_GGUF_GGUFTYPE_H

#include "mlir/IR/BuiltinTypes.h"

namespace heddle {

/// A type of tensors (enum ggml_type of ggml). The elements of a row are stored in blocks of equal size.
struct GgufType {
  uint32_t number; // the number that stands for the type in files
  llvm::StringRef name;
  int64_t blockLength; // the number of elements of a block
  int64_t blockBytes;  // the size of a block in bytes

  /// The content of a block of a quantised type: a scale of f16, a minimum of f16 if there is one, and integers
  /// (codes). An element is (code - zero) * scale, plus the minimum. Codes of 4 bits are unsigned: the lower halves of
  /// the bytes are the first half of the block, and the upper halves are the second. Codes of 8 bits are signed.
  struct Codes {
    int64_t bits = 0; // 4 or 8; 0 for types without codes, and for types that Heddle does not support
    int64_t zero = 0;
    bool hasMinima = false;
  };
  Codes codes = {};
};

/// Returns the type with this number; null if there is none.
const GgufType *findGgufType(uint32_t number);

/// Returns the type in which a WeightStore keeps a tensor of this shape: F32, F16 and BF16 as floats of the same shape,
/// and types with codes as [.., blocks of a row, f16 of a block] of f16. Among the f16 of a block, the scale and the
/// minimum are numbers; the others are pairs of bytes with codes. Returns null for a type that Heddle does not support.
mlir::RankedTensorType storedTypeOf(const GgufType &type, llvm::ArrayRef<int64_t> shape, mlir::MLIRContext *context);

/// The names of the types for which storedTypeOf() returns a type, for messages.
inline constexpr const char *supportedGgufTypes = "F32, F16, BF16, Q4_0, Q4_1 and Q8_0";

} // namespace heddle

#endif // HEDDLE_IMPORT_GGUF_GGUFTYPE_H
