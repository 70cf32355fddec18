//===- GuardDivisions.cpp - guards of integer divisions -------------------===//

#include "GuardDivisions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

static bool isSigned(Operation *op) {
  return isa<arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(op);
}

static bool isDivision(Operation *op) {
  return isSigned(op) || isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op);
}

/// Whether the divisor is a constant without zeros and, for signed divisions, without -1, because the quotient of the
/// lowest number and -1 overflows.
static bool isSafeDivisor(Value divisor, bool isSigned) {
  auto isSafe = [&](const APInt &value) { return !value.isZero() && !(isSigned && value.isAllOnes()); };
  APInt number;
  if (matchPattern(divisor, m_ConstantInt(&number)))
    return isSafe(number);
  DenseIntElementsAttr numbers;
  return matchPattern(divisor, m_Constant(&numbers)) && llvm::all_of(numbers.getValues<APInt>(), isSafe);
}

/// Emits code that replaces the divisor by 1 if the divisor is 0 or if the quotient would overflow.
static void guard(Operation *division) {
  Value dividend = division->getOperand(0), divisor = division->getOperand(1);
  ImplicitLocOpBuilder b(division->getLoc(), division);
  Type type = divisor.getType(), element = getElementTypeOrSelf(type);
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  auto constant = [&](const APInt &value) -> Value {
    TypedAttr attr = b.getIntegerAttr(element, value);
    if (auto shaped = dyn_cast<ShapedType>(type))
      attr = DenseElementsAttr::get(shaped, Attribute(attr));
    return arith::ConstantOp::create(b, attr);
  };
  auto equal = [&](Value a, const APInt &value) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, a, constant(value));
  };
  Value traps = equal(divisor, APInt::getZero(width));
  if (isSigned(division)) {
    Value lowest = equal(dividend, APInt::getSignedMinValue(width));
    Value overflows = arith::AndIOp::create(b, lowest, equal(divisor, APInt::getAllOnes(width)));
    traps = arith::OrIOp::create(b, traps, overflows);
  }
  division->setOperand(1, arith::SelectOp::create(b, traps, constant(APInt(width, 1)), divisor));
}

void heddle::guardDivisions(func::FuncOp main) {
  main.walk([](Operation *op) {
    if (isDivision(op) && !isSafeDivisor(op->getOperand(1), isSigned(op)))
      guard(op);
  });
}
