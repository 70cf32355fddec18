//===- InlineCalls.h - inlines all calls ------------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_MLIR_INLINECALLS_H
#define HEDDLE_IMPORT_MLIR_INLINECALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Inlines all calls into `main` and removes all other functions of the module, because later stages expect a single
/// function. Emits an error for a call of a function that is missing or has no body, for recursion, for calls that are
/// nested too deep, and if inlining would yield more than a million operations.
mlir::LogicalResult inlineCalls(mlir::func::FuncOp main);

} // namespace heddle

#endif // HEDDLE_IMPORT_MLIR_INLINECALLS_H
