//===- GuardDivisions.h - no division that traps ----------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_GUARDDIVISIONS_H
#define HEDDLE_IMPORT_GUARDDIVISIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Makes sure that no integer division of a module that somebody wrote traps. Where the divisor
/// is not a constant other than 0 and -1, it becomes 1 where it is 0 or where the quotient would
/// overflow: x / 0 = x, with the rest 0, and the quotient of the lowest number and -1 wraps.
void guardDivisions(mlir::func::FuncOp main);

/// The divisor of a signed division that is emitted: 1 where `divisor` is 0 or the quotient would overflow. Whoever
/// divides in the body of a loop needs it even where no element does so: vectors compute lanes behind the last element.
mlir::Value guardDivisor(mlir::OpBuilder &b, mlir::Location loc, mlir::Value dividend, mlir::Value divisor);

} // namespace heddle

#endif // HEDDLE_IMPORT_GUARDDIVISIONS_H
