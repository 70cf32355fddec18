//===- Safetensors.h - named tensors in a file ------------------*- C++ -*-===//
//
// Hugging Face stores weights in this format, and Heddle uses it for inputs and outputs. The header of a file is read
// and written by runtime/tensors/safetensors.h, which describes the format and its limits.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SAFETENSORS_H
#define HEDDLE_SAFETENSORS_H

#include "heddle/WeightStore.h"

#include "mlir/IR/Location.h"

namespace heddle {

/// Maps the file and adds its tensors, in the order of their bytes in the file, to `store`, which keeps the mapping.
/// The content of the file is not trusted; errors name the file and the tensor. The name of a tensor in the store is
/// `prefix` followed by its name in the file; a name that the store already has is an error. Unsigned types become ui8
/// .. ui64, and BOOL becomes i1.
mlir::LogicalResult readSafetensors(mlir::MLIRContext &context, llvm::StringRef path, WeightStore &store,
                                    llvm::StringRef prefix = "");

/// Writes a file with these tensors, completely or not at all (OutputFile.h).
mlir::LogicalResult writeSafetensors(mlir::MLIRContext &context, llvm::StringRef path,
                                     llvm::ArrayRef<std::pair<std::string, StoredTensor>> tensors);

} // namespace heddle

#endif // HEDDLE_SAFETENSORS_H
