//===- SizeEquations.h - what a dimension without a size must be -*- C++ -*-==//

#ifndef HEDDLE_IMPORT_SIZES_SIZEEQUATIONS_H
#define HEDDLE_IMPORT_SIZES_SIZEEQUATIONS_H

#include "heddle/Import.h"

namespace heddle {

/// Of dimensions that nobody gave a size, what each is called that has to be another size, or a sum of such ("past +
/// new"): by an import where all dimensions are symbols, in which a tensor that has it is, say, added to one that has
/// these numbers of keys.
llvm::StringMap<std::string> findEquations(mlir::MLIRContext &context, llvm::ArrayRef<OpenDim> open,
                                           const ImportOptions &options,
                                           llvm::function_ref<mlir::FailureOr<Model>(const ImportOptions &)> import);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_SIZEEQUATIONS_H
