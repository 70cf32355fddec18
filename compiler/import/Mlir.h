//===- Mlir.h - imports .mlir files -----------------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_MLIR_H
#define HEDDLE_IMPORT_MLIR_H

#include "heddle/Import.h"

namespace heddle {

/// The module of a file as it is written there. Errors go to the context's diagnostics.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> parseMlir(mlir::MLIRContext &context, llvm::StringRef path);

mlir::FailureOr<Model> importMlir(mlir::MLIRContext &context, llvm::StringRef path,
                                  const ImportOptions &options);

} // namespace heddle

#endif // HEDDLE_IMPORT_MLIR_H
