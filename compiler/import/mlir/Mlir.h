//===- Mlir.h - imports .mlir files -----------------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_MLIR_MLIR_H
#define HEDDLE_IMPORT_MLIR_MLIR_H

#include "sizes/ImportTask.h"

namespace heddle {

/// Imports an .mlir file. Emits errors.
mlir::FailureOr<Model> importMlir(mlir::MLIRContext &context, llvm::StringRef path, const ImportTask &options);

} // namespace heddle

#endif // HEDDLE_IMPORT_MLIR_MLIR_H
