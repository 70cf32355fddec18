//===- Callee.h - verification of called functions --------------*- C++ -*-===//

#ifndef HEDDLE_OPS_CALLEE_H
#define HEDDLE_OPS_CALLEE_H

#include "Heddle.h"

namespace heddle {

/// Emits an error at `op` and fails if `callee` is not a function, has a result, or has argument types other than
/// `arguments`. `kind` describes the function in the message: "task" or "kernel".
mlir::LogicalResult verifyCallee(mlir::Operation *op, mlir::SymbolTableCollection &symbols, llvm::StringRef kind,
                                 mlir::FlatSymbolRefAttr callee, mlir::TypeRange arguments);

} // namespace heddle

#endif // HEDDLE_OPS_CALLEE_H
