//===- AttentionScore.h - the score of a query and a key --------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_ATTENTIONSCORE_H
#define HEDDLE_COMPILER_LOWERING_ATTENTIONSCORE_H

#include "Heddle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace heddle {

/// Returns a predicate for comparing the sum of a row's exponentials with 0: if it is true, the row of the result must
/// consist of zeros. The sum is 0 if all keys of the row are removed, and NaN if an exponential is NaN. Returns nullopt
/// if `emptyRow` never requires a row of zeros.
std::optional<mlir::arith::CmpFPredicate> sumOfZeros(EmptyRow emptyRow);

/// The scalar arithmetic of attention: from the product of a query and a key to the weight of the key's value. Scores
/// in f32 are multiplied by log2(e) if possible ("units of log(2)"), so that exponentials are powers of two.
/// Products, scores, shifts and weights of one computation have the same type.
class AttentionScore {
public:
  /// `inRegisters`: the lowering keeps a score in registers from its product to the subtraction of the shift. The
  /// backend may then combine a multiplication and the subtraction into one operation that does not round the product,
  /// which this class prevents. Otherwise, the score is stored in memory before the subtraction. With `approximate`,
  /// attention that rounds weights computes them by an approximation of 2^x.
  AttentionScore(AttentionOp op, bool inRegisters, bool approximate = false);

  /// Returns the factor by which products of queries and keys are multiplied: the scale if a softcap follows, and
  /// otherwise the scale times the unit of scores.
  double getProductScale() const;
  /// Emits the number to subtract from scores for a query whose largest score is `maximum`. If attention rounds, this
  /// number is the logarithm of the smallest power of two that is at least the exponential of the maximum, in the unit
  /// of scores. If attention does not round, or if the magnitude of the maximum is at least AttentionOp::largestPower
  /// (times the unit of scores), the number is the maximum itself.
  ///
  /// Exponentials are rounded before their sum is known, and possibly before all scores are known. They are therefore
  /// computed relative to a power of two: if more keys lead to a larger power of two, rescaling does not change the
  /// mantissas of rounded exponentials.
  mlir::Value emitPower(mlir::OpBuilder &b, mlir::Location loc, mlir::Value maximum) const;

  /// Returns whether scores are products times a number that is positive in f32. Then the largest product belongs to
  /// the largest score, so products need to be scaled only where weights are computed.
  bool isScaledProduct() const;
  /// If isScaledProduct() returns true, emits a number that is at least the score of a product, and larger by at most
  /// two rounding errors. If it is subtracted from the scores of smaller products, no difference is positive. The bound
  /// of an infinite score is this score.
  mlir::Value emitBound(mlir::OpBuilder &b, mlir::Location loc, mlir::Value product) const;
  /// If isScaledProduct() returns true, emits the exponential of the score of a product minus `shift`. The score is not
  /// rounded before the subtraction. `shift` must be at least the bound of the product.
  mlir::Value emitWeightOfProduct(mlir::OpBuilder &b, mlir::Location loc, mlir::Value product, mlir::Value shift) const;
  /// Emits the score for the product of a query and a key. `bias` (a float of any type, which is converted to the type
  /// of scores) and `mask` (a byte that is 0 if the key is masked) are elements of the operands of the op; null if it
  /// has none. `change` emits the region of the op on the score with its bias.
  mlir::Value emit(mlir::OpBuilder &b, mlir::Location loc, mlir::Value product, mlir::Value bias, mlir::Value mask,
                   llvm::function_ref<mlir::Value(mlir::Value score)> change) const;
  /// Like emit(), but for a product that is already multiplied by getProductScale().
  mlir::Value emitChanged(mlir::OpBuilder &b, mlir::Location loc, mlir::Value score, mlir::Value bias, mlir::Value mask,
                          llvm::function_ref<mlir::Value(mlir::Value score)> change) const;
  /// Emits the new running maximum of a query from the largest of further scores and the previous running maximum,
  /// `before`. It is at least as large as both. If attention rounds, it is not a score but the logarithm of a power of
  /// two (emitPower).
  mlir::Value emitMaximum(mlir::OpBuilder &b, mlir::Location loc, mlir::Value largest, mlir::Value before) const;
  /// Emits the number to subtract from scores before exponentials are computed: the running maximum; 0 if it is -inf,
  /// since -inf - -inf is NaN; and, if scores remain in registers, NaN if it is +inf, since the weights of the query
  /// are then NaN.
  mlir::Value emitShift(mlir::OpBuilder &b, mlir::Location loc, mlir::Value maximum) const;
  /// Emits the exponential of score - shift, which must be at most 0 or NaN.
  mlir::Value emitWeight(mlir::OpBuilder &b, mlir::Location loc, mlir::Value score, mlir::Value shift) const;
  /// Emits a weight times the number by which attention multiplies weights before it rounds them: a power of two, or 1.
  mlir::Value emitScaled(mlir::OpBuilder &b, mlir::Location loc, mlir::Value weight) const;
  /// Emits a number as a factor of a product: rounded if attention rounds.
  mlir::Value emitFactor(mlir::OpBuilder &b, mlir::Location loc, mlir::Value number) const;
  /// Emits the factor by which a sum of weighted values is multiplied if the sum of the weights is `total`: the inverse
  /// of `total`, or 0 if the attribute `empty_row` requires that this query's result consists of zeros.
  mlir::Value emitInverse(mlir::OpBuilder &b, mlir::Location loc, mlir::Value total) const;
  /// Emits NaN if the sum of a query's weights, `total`, is 0 although the query sees keys, and 0 otherwise. The sum is
  /// then 0 because scores are so large that the bound of the largest score (emitBound) exceeds this score by far, and
  /// the query must be computed again.
  mlir::Value emitMark(mlir::OpBuilder &b, mlir::Location loc, mlir::Value largest, mlir::Value total) const;
  /// Emits the result of a query from a sum of weighted values and the factor that emitInverse returns. If `empty_row`
  /// may require zeros and the factor is 0, the result is 0 even if the sum is not finite.
  mlir::Value emitResult(mlir::OpBuilder &b, mlir::Location loc, mlir::Value sum, mlir::Value inverse) const;

private:
  mlir::Value emitProduct(mlir::OpBuilder &b, mlir::Location loc, mlir::Value left, double right) const;
  mlir::Value emitExponential(mlir::OpBuilder &b, mlir::Location loc, mlir::Value difference) const;

  mutable AttentionOp op; // the accessors of operations are not const
  bool inRegisters, approximate;
  double unit; // the factor by which scores are multiplied: log2(e) or 1
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_ATTENTIONSCORE_H
