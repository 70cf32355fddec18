//===- InlineCalls.h - one function, no calls -------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_MLIR_INLINECALLS_H
#define HEDDLE_IMPORT_MLIR_INLINECALLS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Inlines every call into `main` and removes the other functions of its module: the stages
/// that follow know one function. An error if a call goes to a function without a body, or back
/// to where it came from, or if the calls multiply beyond any model's size.
mlir::LogicalResult inlineCalls(mlir::func::FuncOp main);

} // namespace heddle

#endif // HEDDLE_IMPORT_MLIR_INLINECALLS_H
