//===- SizeEquations.h - equations between dimensions -----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_SIZEEQUATIONS_H
#define HEDDLE_IMPORT_SIZES_SIZEEQUATIONS_H

#include "ImportTask.h"

namespace heddle {

/// Finds dimensions without a size that must be equal to another size or to a sum of sizes, and returns these by name,
/// such as "past + new". In an import with all dimensions as symbols, an equation follows, for example, from the
/// addition of a tensor with this dimension to a tensor with a known number of keys.
llvm::StringMap<std::string> findEquations(mlir::MLIRContext &context, llvm::ArrayRef<OpenDim> open,
                                           const ImportTask &options,
                                           llvm::function_ref<mlir::FailureOr<Model>(const ImportTask &)> import);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_SIZEEQUATIONS_H
