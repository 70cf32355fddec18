//===- SymbolicImport.h - imports with symbolic sizes -----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_SYMBOLICIMPORT_H
#define HEDDLE_IMPORT_SIZES_SYMBOLICIMPORT_H

#include "ImportTask.h"

namespace heddle {

/// The maximum number of sizes in ranges.
constexpr size_t maxSizes = 6;

/// Imports a model whose sizes in `options.ranges` are symbols. `import` must compute with dimensions (sizes/Dim.h)
/// instead of numbers: each of its decisions must hold for all sizes; otherwise the model is refused at the node that
/// needs the decision. The model is first imported at the largest sizes; errors are thus reported as for fixed sizes.
/// The next import finds the extents that are expressions of sizes. Then placeholders for the sizes and these
/// expressions are chosen (sizes/ChoosePlaceholders.h), and the model is imported again with the placeholders. If
/// options.sizes.at is not empty, the model is imported only at these sizes. If options.sizes.placeholderSet is not 0,
/// it is imported only with that set of options.placeholders. A size that exists only during the import
/// (options.hidden) is the last of the ranges; the import removes it from the model.
mlir::FailureOr<Model> importSymbolic(mlir::MLIRContext &context, llvm::StringRef model, ImportTask &options,
                                      llvm::function_ref<mlir::FailureOr<Model>(const ImportTask &)> import);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_SYMBOLICIMPORT_H
