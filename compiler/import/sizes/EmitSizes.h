//===- EmitSizes.h - code that computes expressions of sizes ----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_EMITSIZES_H
#define HEDDLE_IMPORT_SIZES_EMITSIZES_H

#include "SizeExpression.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// Emits the value of an expression as an index, by operations on `heddle.size`. `places` are the indices of an
/// element.
mlir::Value emitSize(mlir::OpBuilder &b, mlir::Location loc, const SizeExpression &expression,
                     mlir::ValueRange places = {});
inline mlir::Value emitSize(mlir::ImplicitLocOpBuilder &b, const SizeExpression &expression) {
  return emitSize(b, b.getLoc(), expression);
}

/// Replaces each `heddle.sizes` by operations: a broadcast scalar, or a linalg.generic of the indices. Comparisons of
/// indices become masks in the form that recognition matches.
void lowerSizes(mlir::func::FuncOp main);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_EMITSIZES_H
