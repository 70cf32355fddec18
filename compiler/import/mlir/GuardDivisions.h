//===- GuardDivisions.h - guards of integer divisions -----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_MLIR_GUARDDIVISIONS_H
#define HEDDLE_IMPORT_MLIR_GUARDDIVISIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Ensures that no integer division in `main` traps. Unless the divisor is a constant other than 0 (and other than -1
/// in signed divisions), the compiled code replaces the divisor by 1 if it is 0 or if the quotient would overflow. Thus
/// x / 0 = x with remainder 0, and the lowest number divided by -1 is the lowest number.
void guardDivisions(mlir::func::FuncOp main);

} // namespace heddle

#endif // HEDDLE_IMPORT_MLIR_GUARDDIVISIONS_H
