//===- ParseMlir.h - parsing untrusted MLIR text ----------------*- C++ -*-===//

#ifndef HEDDLE_PARSEMLIR_H
#define HEDDLE_PARSEMLIR_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace heddle {

/// Parses the module in a text that is not trusted. Errors are emitted as the context's diagnostics, with `name` as the
/// name of the file.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> parseMlirText(mlir::MLIRContext &context, llvm::StringRef name,
                                                                 llvm::StringRef text);

/// Parses the module in the file `path`, which is not trusted, either.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> parseMlirFile(mlir::MLIRContext &context, llvm::StringRef path);

} // namespace heddle

#endif // HEDDLE_PARSEMLIR_H
