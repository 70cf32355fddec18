//===- Folds.h - removal of neutral operands --------------------*- C++ -*-===//

#ifndef HEDDLE_OPS_FOLDS_H
#define HEDDLE_OPS_FOLDS_H

#include "Heddle.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Removes an optional operand that is added if it is a constant whose elements are all zero (of either sign, since
/// -0 + 0 equals 0). Returns whether it was removed.
bool dropZero(mlir::Operation *op, mlir::MutableOperandRange operand, mlir::PatternRewriter &rewriter);
/// Removes an optional operand that is a factor if it is a constant whose elements are all one. Returns whether it was
/// removed.
bool dropOne(mlir::Operation *op, mlir::MutableOperandRange operand, mlir::PatternRewriter &rewriter);

} // namespace heddle

#endif // HEDDLE_OPS_FOLDS_H
