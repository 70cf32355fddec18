//===- Mlir.h - imports .mlir files -----------------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_MLIR_MLIR_H
#define HEDDLE_IMPORT_MLIR_MLIR_H

#include "sizes/ImportTask.h"

namespace heddle {

/// Imports the .mlir file `path`. Emits an error if the file is invalid or contains unsupported operations.
mlir::FailureOr<Model> importMlir(mlir::MLIRContext &context, llvm::StringRef path, const ImportTask &options);

} // namespace heddle

#endif // HEDDLE_IMPORT_MLIR_MLIR_H
