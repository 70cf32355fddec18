//===- Callee.h - functions that ops run ------------------------*- C++ -*-===//

#ifndef HEDDLE_OPS_CALLEE_H
#define HEDDLE_OPS_CALLEE_H

#include "Heddle.h"

namespace heddle {

/// Fails with an error of `op` where the symbol is no function, or one with a result or of other arguments. `kind` is
/// what the op calls it.
mlir::LogicalResult verifyCallee(mlir::Operation *op, mlir::SymbolTableCollection &symbols, llvm::StringRef kind,
                                 mlir::FlatSymbolRefAttr callee, mlir::TypeRange arguments);

} // namespace heddle

#endif // HEDDLE_OPS_CALLEE_H
