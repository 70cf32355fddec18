//===- ParseMlir.h - MLIR text that nobody vouches for ----------*- C++ -*-===//

#ifndef HEDDLE_PARSEMLIR_H
#define HEDDLE_PARSEMLIR_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace heddle {

/// The module of a text that anybody may have written, called `name` in errors, which go to the context's diagnostics.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> parseMlirText(mlir::MLIRContext &context, llvm::StringRef name,
                                                                 llvm::StringRef text);

/// Same with the text of a file.
mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> parseMlirFile(mlir::MLIRContext &context, llvm::StringRef path);

} // namespace heddle

#endif // HEDDLE_PARSEMLIR_H
