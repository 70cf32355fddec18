//===- EmitSizes.h - what each call computes of sizes -----------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_EMITSIZES_H
#define HEDDLE_IMPORT_SIZES_EMITSIZES_H

#include "SizeExpression.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// The value of an expression in a call, as an index: operations on `heddle.size`. `places` are those of an element.
mlir::Value emitSize(mlir::OpBuilder &b, mlir::Location loc, const SizeExpression &expression,
                     mlir::ValueRange places = {});
inline mlir::Value emitSize(mlir::ImplicitLocOpBuilder &b, const SizeExpression &expression) {
  return emitSize(b, b.getLoc(), expression);
}

/// In the place of each `heddle.sizes` what a call computes: a number that is broadcast, or a linalg.generic of the
/// places. Comparisons of places are the masks that recognition knows.
void lowerSizes(mlir::func::FuncOp main);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_EMITSIZES_H
