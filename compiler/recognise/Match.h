//===- Match.h - predicates shared by recognisers ---------------*- C++ -*-===//
//
// Named predicates for parts of layers. Each says what it demands; none changes
// the IR. Predicates that return a Value return null if they do not match.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RECOGNISE_MATCH_H
#define HEDDLE_RECOGNISE_MATCH_H

#include "View.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace heddle {

/// Returns the number that every element of `value` has, if it is a constant (through broadcasts and reshapes).
std::optional<double> matchNumber(mlir::Value value);

/// Returns whether `a` and `b` agree to the precision of f32, or to that of f64 if the value has that type: models
/// store sqrt(2) and similar constants rounded.
bool isNearly(double a, double b, mlir::Value value);

/// Matches `value` = operand x number, operand / number, or -operand; returns operand and factor.
std::optional<std::pair<mlir::Value, double>> matchScaled(mlir::Value value);

/// Matches `value` = a + number, in either order; returns both.
std::optional<std::pair<mlir::Value, double>> matchShifted(mlir::Value value);

/// Returns whether both have the same elements at the same positions.
bool haveSameElements(mlir::Value a, mlir::Value b);

/// Matches a `value` [.., D] (D > 1) that repeats one number along each row; returns the value with one element per
/// row.
mlir::Value matchRepeatedAlongRow(mlir::Value value);

/// Returns whether `value` [.., D] repeats one row.
bool isRepeatedRow(mlir::Value value);

/// Returns that row as a tensor [D].
mlir::Value buildRow(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);

/// Matches a `value` with one element per row that is the sum of that row (a linalg.reduce with addf from 0 over the
/// last dimension); returns the summed tensor.
mlir::Value matchRowSum(mlir::Value value);

/// Matches a `value` with one element per row that is the mean of that row: its sum divided by the row's length.
/// Returns the averaged tensor, or sets `reason`.
mlir::Value matchRowMean(mlir::Value value, llvm::StringRef &reason);

/// Matches `value` = operand squared; returns the operand.
mlir::Value matchSquared(mlir::Value value);

/// Collects the factors of a product of tensors (through mulf, and divf by a number) in `factors`, and its operations
/// in `ops`. Constant factors are multiplied into `number`.
void collectFactors(mlir::Value value, double &number, llvm::SmallVectorImpl<mlir::Value> &factors,
                    llvm::SmallVectorImpl<mlir::Operation *> &ops);

/// result = lhs [batch.., M, K] x rhs [batch.., K, N], summed from 0.
struct Product {
  mlir::Operation *op;
  llvm::SmallVector<int64_t> batch;
  int64_t m, k, n;
  llvm::SmallVector<int64_t> lhsOrder, rhsOrder; // permutations of the operands that give this form

  mlir::Value lhs() const { return op->getOperand(0); }
  mlir::Value rhs() const { return op->getOperand(1); }
  mlir::Value result() const { return op->getResult(0); }
  /// Returns the view of an operand with its batch dimensions reshaped to `batch`; nullopt if strides cannot express
  /// it.
  std::optional<View> lhsView(llvm::ArrayRef<int64_t> batch, bool throughFactors = false) const;
  std::optional<View> rhsView(llvm::ArrayRef<int64_t> batch, bool throughFactors = false) const;
};

/// Matches `op` as a product of matrices, or sets `reason`.
std::optional<Product> matchProduct(mlir::Operation *op, llvm::StringRef &reason);

/// Returns whether every tensor among operands and results of `op` has static sizes, none of them 0.
bool hasStaticShapes(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_MATCH_H
