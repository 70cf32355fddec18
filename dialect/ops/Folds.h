//===- Folds.h - operands that change nothing -------------------*- C++ -*-===//

#ifndef HEDDLE_OPS_FOLDS_H
#define HEDDLE_OPS_FOLDS_H

#include "Heddle.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Removes an optional operand that is a constant whose every element is zero (of either
/// sign, -0 + 0 being equal to 0). True if it did.
bool dropZero(mlir::Operation *op, mlir::MutableOperandRange operand, mlir::PatternRewriter &rewriter);
/// Likewise one whose every element is one.
bool dropOne(mlir::Operation *op, mlir::MutableOperandRange operand, mlir::PatternRewriter &rewriter);

} // namespace heddle

#endif // HEDDLE_OPS_FOLDS_H
