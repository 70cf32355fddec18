//===- Callee.h - verification of called functions --------------*- C++ -*-===//

#ifndef HEDDLE_OPS_CALLEE_H
#define HEDDLE_OPS_CALLEE_H

#include "Heddle.h"

namespace heddle {

/// Verifies the function `callee` that the operation `op` runs. Emits an error at `op` if there is no function with
/// this name, or if the function has a result or argument types other than `arguments`. `kind` is the word for the
/// function in the message: "task" or "kernel".
mlir::LogicalResult verifyCallee(mlir::Operation *op, mlir::SymbolTableCollection &symbols, llvm::StringRef kind,
                                 mlir::FlatSymbolRefAttr callee, mlir::TypeRange arguments);

} // namespace heddle

#endif // HEDDLE_OPS_CALLEE_H
