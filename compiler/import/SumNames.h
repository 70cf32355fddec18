//===- SumNames.h - sums of sizes that have a name of their own -*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SUMNAMES_H
#define HEDDLE_IMPORT_SUMNAMES_H

#include "heddle/Import.h"

namespace heddle {

/// The sum that the dimension `name`, left open by a model whose others are among `options`, must be: "past + new" of
/// total. With other sizes the model is none, as a few imports of small sizes show. Empty where it is no sum.
std::string findSumName(mlir::MLIRContext &context, llvm::StringRef name, const ImportOptions &options,
                        llvm::function_ref<mlir::FailureOr<Model>(const ImportOptions &)> import);

} // namespace heddle

#endif // HEDDLE_IMPORT_SUMNAMES_H
