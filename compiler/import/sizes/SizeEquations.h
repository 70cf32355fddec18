//===- SizeEquations.h - equations between dimensions -----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_SIZEEQUATIONS_H
#define HEDDLE_IMPORT_SIZES_SIZEEQUATIONS_H

#include "ImportTask.h"

namespace heddle {

/// Finds dimensions whose size is not given but must equal another size or a sum of sizes. Returns a map from the name
/// of each such dimension to the name of that size or sum, such as "past + new". The model is imported with a symbol
/// for each dimension; if it adds, for example, a tensor with the dimension to a tensor with a known number of keys,
/// both extents must be equal.
llvm::StringMap<std::string> findEquations(mlir::MLIRContext &context, llvm::ArrayRef<OpenDim> open,
                                           const ImportTask &options,
                                           llvm::function_ref<mlir::FailureOr<Model>(const ImportTask &)> import);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_SIZEEQUATIONS_H
