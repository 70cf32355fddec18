//===- SizeEquations.h - equations between dimensions -----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_SIZEEQUATIONS_H
#define HEDDLE_IMPORT_SIZES_SIZEEQUATIONS_H

#include "ImportTask.h"

namespace heddle {

/// Finds dimensions whose size is not given but must equal another size or a sum of sizes. Returns a map from the name
/// of each such dimension to the text of the size or sum, such as "past + new". To find the equations, the function
/// imports the model with a symbol for each dimension. If the model adds, for example, a mask with an unknown number of
/// columns to scores with past + new columns, both numbers must be equal. `open` contains the dimensions whose sizes
/// are not given; `import` imports the model.
llvm::StringMap<std::string> findEquations(mlir::MLIRContext &context, llvm::ArrayRef<OpenDim> open,
                                           const ImportTask &options,
                                           llvm::function_ref<mlir::FailureOr<Model>(const ImportTask &)> import);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_SIZEEQUATIONS_H
