//===- Match.h - predicates shared by recognisers ---------------*- C++ -*-===//
//
// Functions that match parts of layers. Only `buildRow` changes the IR. Functions that return a Value return null if
// there is no match.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RECOGNISE_MATCH_H
#define HEDDLE_RECOGNISE_MATCH_H

#include "View.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace heddle {

/// Returns the number to which all elements of `value` are equal. `value` must be a constant, or computed from a
/// constant by fills, splats, broadcasts, transposes and reshapes. Returns nothing for other values, or if the elements
/// differ.
std::optional<double> matchNumber(mlir::Value value);

/// Returns whether `a` and `b` are nearly equal. The accepted relative difference is 1e-15 if `value` is of type f64,
/// and 1e-6 otherwise, because models contain rounded constants such as sqrt(2).
bool isNearly(double a, double b, mlir::Value value);

/// Matches `value` = operand * number, operand / number, or -operand. Returns the operand and the factor.
std::optional<std::pair<mlir::Value, double>> matchScaled(mlir::Value value);

/// Matches `value` = a + number, number + a, or a - number. Returns a and the number that is added.
std::optional<std::pair<mlir::Value, double>> matchShifted(mlir::Value value);

/// Returns whether `a` and `b` are known to have equal elements: they are one value, or they are computed from one
/// value by equivalent reshapes, transposes and broadcasts.
bool haveSameElements(mlir::Value a, mlir::Value b);

/// Matches a `value` [.., D] (D > 1) in which each row repeats one number. Returns the tensor of these numbers, with
/// one element per row.
mlir::Value matchRepeatedAlongRow(mlir::Value value);

/// Returns whether all rows of `value` [.., D] are equal.
bool isRepeatedRow(mlir::Value value);

/// Builds a tensor [D] that is equal to each row of `value`. isRepeatedRow must accept `value`.
mlir::Value buildRow(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);

/// Matches a `value` that contains the sum of each row of a tensor: a linalg.reduce over the last dimension that adds
/// with addf, beginning at 0. Returns the tensor.
mlir::Value matchRowSum(mlir::Value value);

/// Matches a `value` that contains the mean of each row of a tensor: the sum divided by the length of a row. Returns
/// the tensor, or sets `reason` and returns null.
mlir::Value matchRowMean(mlir::Value value, llvm::StringRef &reason);

/// Matches `value` = operand squared; returns the operand.
mlir::Value matchSquared(mlir::Value value);

/// Decomposes a product of numbers and tensors, which consists of mulf, negf, and divf by a number. Multiplies `number`
/// by the constant factors, and adds the other factors to `factors` and the operations to `ops`.
void collectFactors(mlir::Value value, double &number, llvm::SmallVectorImpl<mlir::Value> &factors,
                    llvm::SmallVectorImpl<mlir::Operation *> &ops);

/// A product of matrices: result [batch.., M, N] = lhs [batch.., M, K] times rhs [batch.., K, N]. The initial value of
/// the result is 0.
struct Product {
  mlir::Operation *op;
  llvm::SmallVector<int64_t> batch; // the extents of the result's batch dimensions
  int64_t m, k, n;                  // the extents M, K and N
  /// The dimensions of lhs and rhs in the order above, each as its index in the operand.
  llvm::SmallVector<int64_t> lhsOrder, rhsOrder;

  mlir::Value lhs() const { return op->getOperand(0); }
  mlir::Value rhs() const { return op->getOperand(1); }
  mlir::Value result() const { return op->getResult(0); }
  /// Return the view (View.h) of an operand with its dimensions in the order above and its batch dimensions reshaped to
  /// `batch`; nullopt if strides cannot express this view. With `throughFactors`, numbers by which the operand
  /// was multiplied or divided become the factor of the view.
  std::optional<View> lhsView(llvm::ArrayRef<int64_t> batch, bool throughFactors = false) const;
  std::optional<View> rhsView(llvm::ArrayRef<int64_t> batch, bool throughFactors = false) const;
};

/// Matches `op` as a product of matrices, or sets `reason`.
std::optional<Product> matchProduct(mlir::Operation *op, llvm::StringRef &reason);

/// Returns whether all tensors among the operands and results of `op` have static extents above 0.
bool hasStaticShapes(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_MATCH_H
