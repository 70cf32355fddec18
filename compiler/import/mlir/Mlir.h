//===- Mlir.h - imports .mlir files -----------------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_MLIR_MLIR_H
#define HEDDLE_IMPORT_MLIR_MLIR_H

#include "heddle/Import.h"

namespace heddle {

mlir::FailureOr<Model> importMlir(mlir::MLIRContext &context, llvm::StringRef path,
                                  const ImportOptions &options);

} // namespace heddle

#endif // HEDDLE_IMPORT_MLIR_MLIR_H
