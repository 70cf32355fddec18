//===- Match.h - what the patterns share ------------------------*- C++ -*-===//
//
// Named predicates of sub-shapes. Each says what it demands; none changes IR.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RECOGNISE_MATCH_H
#define HEDDLE_RECOGNISE_MATCH_H

#include "View.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace heddle {

/// The one number that every element of `value` has, if it is a constant
/// (through broadcasts and reshapes).
std::optional<double> matchNumber(mlir::Value value);

/// Whether `a` and `b` agree to single precision, or to that of f64 where the value has it: sources
/// store sqrt(2) and the like rounded.
bool isNearly(double a, double b, mlir::Value value);

/// `value` = operand x number, or operand / number, or -operand.
std::optional<std::pair<mlir::Value, double>> matchScaled(mlir::Value value);

/// `value` = a + number, in either order.
std::optional<std::pair<mlir::Value, double>> matchShifted(mlir::Value value);

/// Both have the same elements in the same places.
bool haveSameElements(mlir::Value a, mlir::Value b);

/// `value` [.., D] repeats one number per row: a value with one element per row
/// (D > 1).
mlir::Value matchRepeatedAlongRow(mlir::Value value);

/// `value` [.., D] repeats one row.
bool isRepeatedRow(mlir::Value value);

/// That row as a tensor [D].
mlir::Value buildRow(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);

/// `value` has one element per row, the sum of the row of the returned value
/// (a linalg.reduce with addf from 0 over the last dimension).
mlir::Value matchRowSum(mlir::Value value);

/// `value` has one element per row, the mean of the row of the returned value:
/// its sum divided by the row's length. `reason` tells what is wrong.
mlir::Value matchRowMean(mlir::Value value, llvm::StringRef &reason);

/// `value` = operand squared.
mlir::Value matchSquared(mlir::Value value);

/// The factors of a product of tensors (through mulf, and divf by a number);
/// the numbers among them are multiplied into `number`. `ops`: those of the product.
void collectFactors(mlir::Value value, double &number, llvm::SmallVectorImpl<mlir::Value> &factors,
                    llvm::SmallVectorImpl<mlir::Operation *> &ops);

/// result = lhs [batch.., M, K] x rhs [batch.., K, N], added up from 0.
struct Product {
  mlir::Operation *op;
  llvm::SmallVector<int64_t> batch;
  int64_t m, k, n;
  llvm::SmallVector<int64_t> lhsOrder, rhsOrder; // permutations that bring the operands into that form

  mlir::Value lhs() const { return op->getOperand(0); }
  mlir::Value rhs() const { return op->getOperand(1); }
  mlir::Value result() const { return op->getResult(0); }
  /// Operands with the batch dimensions cut as asked (null: as they are).
  std::optional<View> lhsView(llvm::ArrayRef<int64_t> batch, bool throughFactors = false) const;
  std::optional<View> rhsView(llvm::ArrayRef<int64_t> batch, bool throughFactors = false) const;
};

/// `op` as a product of matrices; `reason` tells why not.
std::optional<Product> matchProduct(mlir::Operation *op, llvm::StringRef &reason);

/// Every tensor among operands and results of `op` has static sizes, none of them 0.
bool hasStaticShapes(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_RECOGNISE_MATCH_H
