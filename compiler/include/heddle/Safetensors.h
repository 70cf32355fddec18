//===- Safetensors.h - named tensors in a file ------------------*- C++ -*-===//
//
// The format of Hugging Face's weights, and of Heddle's inputs and outputs: the
// size of a JSON header (8 bytes), the header (name, type, shape and place of
// each tensor), the bytes.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SAFETENSORS_H
#define HEDDLE_SAFETENSORS_H

#include "heddle/WeightStore.h"

#include "mlir/IR/Location.h"

namespace heddle {

/// Maps the file and adds its tensors, in the order of their bytes, to `store`,
/// which keeps the mapping. Nothing in the file is trusted; errors name the file
/// and the tensor. A name that the store already has is an error. Unsigned types
/// are ui8 .. ui64, BOOL is i1.
mlir::LogicalResult readSafetensors(mlir::MLIRContext &context, llvm::StringRef path, WeightStore &store);

/// Writes a file with these tensors, whole or not at all (OutputFile.h).
mlir::LogicalResult writeSafetensors(mlir::MLIRContext &context, llvm::StringRef path,
                                     llvm::ArrayRef<std::pair<std::string, StoredTensor>> tensors);

/// The format's name of an element type ("F32"), empty if it has none.
llvm::StringRef safetensorsTypeName(mlir::Type element);

} // namespace heddle

#endif // HEDDLE_SAFETENSORS_H
