//===- EmitSizes.h - code that computes expressions of sizes ----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_EMITSIZES_H
#define HEDDLE_IMPORT_SIZES_EMITSIZES_H

#include "SizeExpression.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace heddle {

/// Emits `heddle.size` and arith operations that compute the value of an expression as an index. If the expression is a
/// formula of a tensor's elements, `places` are the indices of the element that is computed.
mlir::Value emitSize(mlir::OpBuilder &b, mlir::Location loc, const SizeExpression &expression,
                     mlir::ValueRange places = {});
inline mlir::Value emitSize(mlir::ImplicitLocOpBuilder &b, const SizeExpression &expression) {
  return emitSize(b, b.getLoc(), expression);
}

/// Replaces each heddle.sizes operation in `main`, which yields a tensor of integers that depend on sizes. If all
/// elements are equal, a scalar is computed and filled into the tensor; otherwise, a linalg.generic computes each
/// element from its indices. Comparisons of indices become masks that the passes of compiler/recognise match.
void lowerSizes(mlir::func::FuncOp main);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_EMITSIZES_H
