//===- Safetensors.h - named tensors in a file ------------------*- C++ -*-===//
//
// Hugging Face stores weights in this format, and Heddle uses it for inputs and outputs. A file consists of the size
// of a JSON header (8 bytes), the header (the name, type, shape and offset of each tensor), and the bytes of the
// tensors.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SAFETENSORS_H
#define HEDDLE_SAFETENSORS_H

#include "heddle/WeightStore.h"

#include "mlir/IR/Location.h"

namespace heddle {

/// Maps the file and adds its tensors to `store`, which keeps the mapping, in the order of their bytes. The content of
/// the file is not trusted; errors name the file and the tensor. The name of a tensor in the store is `prefix` followed
/// by its name in the file; a name that the store already has is an error. Unsigned types become ui8 .. ui64, and BOOL
/// becomes i1.
mlir::LogicalResult readSafetensors(mlir::MLIRContext &context, llvm::StringRef path, WeightStore &store,
                                    llvm::StringRef prefix = "");

/// Writes a file with these tensors, completely or not at all (OutputFile.h).
mlir::LogicalResult writeSafetensors(mlir::MLIRContext &context, llvm::StringRef path,
                                     llvm::ArrayRef<std::pair<std::string, StoredTensor>> tensors);

/// The format's name for an element type ("F32"); empty if it has none.
llvm::StringRef safetensorsTypeName(mlir::Type element);

} // namespace heddle

#endif // HEDDLE_SAFETENSORS_H
