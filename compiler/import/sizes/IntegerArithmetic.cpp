//===- IntegerArithmetic.cpp - arith on expressions of sizes --------------===//

#include "IntegerArithmetic.h"

#include "SizeScope.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Computes the result of one operation from the expressions `x` of its operands.
class Computation {
public:
  Computation(Operation *op, ArrayRef<SizeExpression> x, ArrayRef<SizeBounds> places)
      : op(op), x(x), places(places), isBool(isOfBool(op->getResult(0))), ofBool(isOfBool(op->getOperand(0))) {}

  /// Returns the simplified result; nothing if it is unknown or might not fit into its type.
  std::optional<SizeExpression> run() const;

private:
  static bool isOfBool(Value value) { return getElementTypeOrSelf(value.getType()).isInteger(1); }
  std::optional<SizeBounds> boundsOf(const SizeExpression &e) const {
    return SizeScope::current()->domain().boundsOf(e, places, /*isExact=*/true);
  }
  /// Whether no operand is negative. Signed and unsigned operations then have the same result.
  bool isUnsigned() const;
  SizeExpression divideTowardsZero() const;
  /// Returns a quotient or a remainder; nothing if the divisor may be 0.
  std::optional<SizeExpression> divide() const;
  std::optional<SizeExpression> compare(arith::CmpIPredicate predicate) const;
  /// Returns the result of an operation on i1 operands, which are expressions with the values 0 and 1.
  std::optional<SizeExpression> ofBools() const;
  /// Returns the result without checking whether it fits into its type; nothing if the operation is not supported.
  std::optional<SizeExpression> compute() const;

  Operation *op;
  ArrayRef<SizeExpression> x;
  ArrayRef<SizeBounds> places;
  bool isBool, ofBool; // whether the result, and the operands, are i1
};
} // namespace

bool Computation::isUnsigned() const {
  return llvm::all_of(x, [&](const SizeExpression &e) {
    std::optional<SizeBounds> bounds = boundsOf(e);
    return bounds && bounds->low >= 0;
  });
}

/// Divides the positive part and the negative part of the dividend separately; one of the parts is 0. This avoids a
/// test of the dividend's sign, which may differ between sizes.
SizeExpression Computation::divideTowardsZero() const {
  auto above = [](const SizeExpression &e) { return SizeExpression::max(e, 0); };
  auto divideBy = [&](const SizeExpression &positive) {
    return SizeExpression::floorDiv(above(x[0]), positive) - SizeExpression::floorDiv(above(-x[0]), positive);
  };
  auto bounds = boundsOf(x[1]);
  if (bounds && bounds->low > 0)
    return divideBy(x[1]);
  if (bounds && bounds->high < 0)
    return -divideBy(-x[1]);
  SizeExpression sign = SizeExpression(1) - SizeExpression(2) * SizeExpression::less(x[1], 0);
  return sign * divideBy(x[1] * sign);
}

std::optional<SizeExpression> Computation::divide() const {
  std::optional<SizeBounds> divisor = boundsOf(x[1]);
  if (!divisor || (divisor->low <= 0 && divisor->high >= 0)) // the divisor may be 0 at some size
    return std::nullopt;
  if (isa<arith::DivSIOp>(op))
    return divideTowardsZero();
  if (isa<arith::RemSIOp>(op))
    return x[0] - x[1] * divideTowardsZero();
  if (isa<arith::FloorDivSIOp>(op))
    return SizeExpression::floorDiv(x[0], x[1]);
  if (isa<arith::CeilDivSIOp>(op))
    return -SizeExpression::floorDiv(-x[0], x[1]);
  if (!isUnsigned())
    return std::nullopt;
  SizeExpression quotient = SizeExpression::floorDiv(x[0], x[1]);
  if (isa<arith::CeilDivUIOp>(op))
    return -SizeExpression::floorDiv(-x[0], x[1]);
  return isa<arith::DivUIOp>(op) ? quotient : x[0] - x[1] * quotient;
}

std::optional<SizeExpression> Computation::compare(arith::CmpIPredicate predicate) const {
  using Predicate = arith::CmpIPredicate;
  if (predicate == Predicate::eq)
    return SizeExpression::equal(x[0], x[1]);
  if (predicate == Predicate::ne)
    return SizeExpression(1) - SizeExpression::equal(x[0], x[1]);
  bool isSigned = predicate == Predicate::slt || predicate == Predicate::sle || predicate == Predicate::sgt ||
                  predicate == Predicate::sge;
  if (isSigned ? ofBool : !isUnsigned()) // as a signed i1, true is -1, but its expression is 1
    return std::nullopt;
  switch (predicate) {
  case Predicate::slt:
  case Predicate::ult:
    return SizeExpression::less(x[0], x[1]);
  case Predicate::sle:
  case Predicate::ule:
    return SizeExpression(1) - SizeExpression::less(x[1], x[0]);
  case Predicate::sgt:
  case Predicate::ugt:
    return SizeExpression::less(x[1], x[0]);
  default:
    return SizeExpression(1) - SizeExpression::less(x[0], x[1]);
  }
}

std::optional<SizeExpression> Computation::ofBools() const {
  if (isa<arith::AndIOp>(op))
    return x[0] * x[1];
  if (isa<arith::OrIOp>(op))
    return x[0] + x[1] - x[0] * x[1];
  if (isa<arith::XOrIOp>(op))
    return x[0] + x[1] - SizeExpression(2) * x[0] * x[1];
  return std::nullopt;
}

std::optional<SizeExpression> Computation::compute() const {
  if (auto comparison = dyn_cast<arith::CmpIOp>(op))
    return compare(comparison.getPredicate());
  if (isa<arith::SelectOp>(op))
    return SizeExpression::select(x[0], x[1], x[2]);
  if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op))
    return ofBool || isUnsigned() ? std::optional(x[0]) : std::nullopt;
  if (isBool || ofBool)
    return isBool ? ofBools() : std::nullopt;
  if (isa<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp>(op))
    return x[0];
  if (isa<arith::AddIOp>(op))
    return x[0] + x[1];
  if (isa<arith::SubIOp>(op))
    return x[0] - x[1];
  if (isa<arith::MulIOp>(op))
    return x[0] * x[1];
  bool isSigned = isa<arith::MaxSIOp, arith::MinSIOp>(op);
  if ((isSigned || isa<arith::MaxUIOp, arith::MinUIOp>(op)) && (isSigned || isUnsigned()))
    return isa<arith::MaxSIOp, arith::MaxUIOp>(op) ? SizeExpression::max(x[0], x[1]) : SizeExpression::min(x[0], x[1]);
  if (isa<arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp, arith::DivUIOp, arith::RemUIOp,
          arith::CeilDivUIOp>(op))
    return divide();
  return std::nullopt;
}

std::optional<SizeExpression> Computation::run() const {
  std::optional<SizeExpression> value = compute();
  if (!value)
    return std::nullopt;
  *value = SizeScope::current()->domain().simplify(*value, places);
  auto bounds = boundsOf(*value);
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  bool fits = bounds && (isBool ? bounds->low >= 0 && bounds->high <= 1
                                : llvm::isIntN(width, bounds->low) && llvm::isIntN(width, bounds->high));
  return fits ? value : std::nullopt;
}

std::optional<SizeExpression> heddle::computeInteger(Operation *op, ArrayRef<SizeExpression> operands,
                                                     ArrayRef<SizeBounds> places) {
  auto isKnown = [](Value value) {
    Type element = getElementTypeOrSelf(value.getType());
    return element.isIndex() || (element.isInteger() && element.getIntOrFloatBitWidth() <= 64);
  };
  if (!isa<arith::ArithDialect>(op->getDialect()) || op->getNumResults() != 1 || op->getNumOperands() == 0 ||
      op->getNumOperands() != operands.size() || !isKnown(op->getResult(0)) ||
      !llvm::all_of(op->getOperands(), isKnown))
    return std::nullopt;
  return Computation(op, operands, places).run();
}
