//===- GuardDivisions.h - no division that traps ----------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_MLIR_GUARDDIVISIONS_H
#define HEDDLE_IMPORT_MLIR_GUARDDIVISIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Makes sure that no integer division of a module that somebody wrote traps. Where the divisor
/// is not a constant other than 0 and -1, it becomes 1 where it is 0 or where the quotient would
/// overflow: x / 0 = x, with the rest 0, and the quotient of the lowest number and -1 wraps.
void guardDivisions(mlir::func::FuncOp main);

} // namespace heddle

#endif // HEDDLE_IMPORT_MLIR_GUARDDIVISIONS_H
