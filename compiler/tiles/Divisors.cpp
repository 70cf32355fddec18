//===- Divisors.cpp - common divisors of index values ---------------------===//

#include "Divisors.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace mlir;
using namespace heddle;

/// Returns the largest known divisor of the values of an expression, or 0 if they are always 0. `dims` is the number of
/// dimensions of the expression's map. `operands` are its dimensions, followed by its symbols.
static int64_t divisorOf(AffineExpr expr, unsigned dims, ValueRange operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::abs(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return findDivisor(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return findDivisor(operands[dims + symbol.getPosition()]);
  auto pair = cast<AffineBinaryOpExpr>(expr);
  int64_t left = divisorOf(pair.getLHS(), dims, operands), right = divisorOf(pair.getRHS(), dims, operands);
  switch (pair.getKind()) {
  case AffineExprKind::Add:
  case AffineExprKind::Mod: // a remainder is a multiple of each common divisor of the operands
    return std::gcd(left, right);
  case AffineExprKind::Mul:
    return left * right;
  default:
    return 1;
  }
}

int64_t heddle::findDivisor(AffineMap map, ValueRange operands) {
  int64_t divisor = 0;
  for (AffineExpr result : map.getResults())
    divisor = std::gcd(divisor, divisorOf(result, map.getNumDims(), operands));
  return divisor;
}

int64_t heddle::findDivisor(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return std::abs(*constant);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    bool counts = loop && argument == loop.getInductionVar();
    return counts ? std::gcd(findDivisor(loop.getLowerBound()), findDivisor(loop.getStep())) : 1;
  }
  Operation *op = value.getDefiningOp();
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return findDivisor(apply.getAffineMap(), apply.getMapOperands());
  if (auto least = dyn_cast<affine::AffineMinOp>(op))
    return findDivisor(least.getMap(), least.getOperands());
  if (auto most = dyn_cast<affine::AffineMaxOp>(op))
    return findDivisor(most.getMap(), most.getOperands());
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return std::gcd(findDivisor(op->getOperand(0)), findDivisor(op->getOperand(1)));
  if (isa<arith::MulIOp>(op))
    return findDivisor(op->getOperand(0)) * findDivisor(op->getOperand(1));
  return 1;
}
