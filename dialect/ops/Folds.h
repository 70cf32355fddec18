//===- Folds.h - removal of neutral operands --------------------*- C++ -*-===//

#ifndef HEDDLE_OPS_FOLDS_H
#define HEDDLE_OPS_FOLDS_H

#include "Heddle.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Removes an optional addend, such as a bias, if it is a constant whose elements are all zero, of either sign. (Adding
/// a zero changes at most the sign of another zero.) Returns whether the operand was removed.
bool dropZero(mlir::Operation *op, mlir::MutableOperandRange operand, mlir::PatternRewriter &rewriter);
/// Removes an optional factor, such as a scale, if it is a constant whose elements are all one. Returns whether the
/// operand was removed.
bool dropOne(mlir::Operation *op, mlir::MutableOperandRange operand, mlir::PatternRewriter &rewriter);

} // namespace heddle

#endif // HEDDLE_OPS_FOLDS_H
