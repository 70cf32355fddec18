//===- SymbolicImport.h - imports with sizes as symbols ---------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_SYMBOLICIMPORT_H
#define HEDDLE_IMPORT_SIZES_SYMBOLICIMPORT_H

#include "heddle/Import.h"

namespace heddle {

/// The most sizes that lie in ranges.
constexpr size_t mostSizes = 6;

/// Imports a model with symbolic dimensions in `options.ranges` by `import`, whose importer computes with dimensions
/// (sizes/Dim.h), not with numbers: whatever it decides holds for all sizes, or the model is refused at the node that
/// decides. A first import finds which expressions of sizes are extents; then numbers are chosen that stand for sizes
/// and these in types (sizes/ChooseStands.h), and with them it is imported once more. With options.sizes.at: of these
/// sizes alone. A hidden size (options.hidden) is the last of the ranges, and removed from the model.
mlir::FailureOr<Model> importSymbolic(mlir::MLIRContext &context, llvm::StringRef model, ImportOptions &options,
                                      llvm::function_ref<mlir::FailureOr<Model>(const ImportOptions &)> import);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_SYMBOLICIMPORT_H
