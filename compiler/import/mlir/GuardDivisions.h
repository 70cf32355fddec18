//===- GuardDivisions.h - guards of integer divisions -----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_MLIR_GUARDDIVISIONS_H
#define HEDDLE_IMPORT_MLIR_GUARDDIVISIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Makes sure that no integer division of a hand-written module traps. A divisor that is not a constant other than 0
/// and -1 is replaced at run time by 1 if it is 0 or if the quotient would overflow. Then x / 0 = x with remainder 0,
/// and the lowest number divided by -1 wraps.
void guardDivisions(mlir::func::FuncOp main);

} // namespace heddle

#endif // HEDDLE_IMPORT_MLIR_GUARDDIVISIONS_H
