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

/// Returns the number that all elements of `value` are equal to, if `value` is a constant or is obtained from a
/// constant by broadcasts and reshapes.
std::optional<double> matchNumber(mlir::Value value);

/// Returns whether `a` and `b` are equal up to a relative difference of 1e-15 if `value` is of type f64, else of 1e-6.
/// The difference allows for the rounding of constants such as sqrt(2) in models.
bool isNearly(double a, double b, mlir::Value value);

/// Matches `value` = operand * number, operand / number, or -operand. Returns the operand and the factor.
std::optional<std::pair<mlir::Value, double>> matchScaled(mlir::Value value);

/// Matches `value` = a + number, number + a, or a - number. Returns a and the number that is added.
std::optional<std::pair<mlir::Value, double>> matchShifted(mlir::Value value);

/// Returns whether `a` and `b` contain the same elements at the same positions.
bool haveSameElements(mlir::Value a, mlir::Value b);

/// Matches a `value` [.., D] (D > 1) that repeats one number along each row. Returns the tensor of these numbers, with
/// one element per row.
mlir::Value matchRepeatedAlongRow(mlir::Value value);

/// Returns whether all rows of `value` [.., D] are equal.
bool isRepeatedRow(mlir::Value value);

/// Builds the row of a `value` that isRepeatedRow accepts, as a tensor [D].
mlir::Value buildRow(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);

/// Matches a `value` that contains the sum of each row of a tensor (a linalg.reduce with addf from 0 over the last
/// dimension). Returns this tensor.
mlir::Value matchRowSum(mlir::Value value);

/// Matches a `value` that contains the mean of each row of a tensor: the sum divided by the length of a row. Returns
/// this tensor, or sets `reason` and returns null.
mlir::Value matchRowMean(mlir::Value value, llvm::StringRef &reason);

/// Matches `value` = operand squared; returns the operand.
mlir::Value matchSquared(mlir::Value value);

/// Adds the factors of the product `value` to `factors` and its operations to `ops`. A product consists of mulf, negf
/// and divf by a number. `number` is multiplied by the constant factors.
void collectFactors(mlir::Value value, double &number, llvm::SmallVectorImpl<mlir::Value> &factors,
                    llvm::SmallVectorImpl<mlir::Operation *> &ops);

/// A product of matrices: result [batch.., M, N] = lhs [batch.., M, K] times rhs [batch.., K, N]. Nothing is added to
/// it.
struct Product {
  mlir::Operation *op;
  llvm::SmallVector<int64_t> batch;
  int64_t m, k, n;
  llvm::SmallVector<int64_t> lhsOrder, rhsOrder; // permute the operands' dimensions into the order above

  mlir::Value lhs() const { return op->getOperand(0); }
  mlir::Value rhs() const { return op->getOperand(1); }
  mlir::Value result() const { return op->getResult(0); }
  /// Returns the view of an operand with its dimensions in the order above and its batch dimensions reshaped to
  /// `batch`; nullopt if strides cannot express this view. For `throughFactors`, see traceView.
  std::optional<View> lhsView(llvm::ArrayRef<int64_t> batch, bool throughFactors = false) const;
  std::optional<View> rhsView(llvm::ArrayRef<int64_t> batch, bool throughFactors = false) const;
};

/// Matches `op` as a product of matrices, or sets `reason`.
std::optional<Product> matchProduct(mlir::Operation *op, llvm::StringRef &reason);

/// Returns whether all tensors among the operands and results of `op` have static sizes above 0.
bool hasStaticShapes(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_MATCH_H
