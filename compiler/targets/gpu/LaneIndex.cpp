//===- LaneIndex.cpp - indices in units of vectors ------------------------===//

#include "LaneIndex.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace mlir;
using namespace heddle;

// The functions below return the largest known divisor of all values that an index may have, or 0 if the index is 0.
static int64_t divisorOf(Value value);

/// `dims` is the number of dimensions of the expression's map. `operands` are its dimensions, followed by its symbols.
static int64_t divisorOf(AffineExpr expr, unsigned dims, ValueRange operands) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::abs(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return divisorOf(operands[dim.getPosition()]);
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return divisorOf(operands[dims + symbol.getPosition()]);
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

static int64_t divisorOf(AffineMap map, ValueRange operands) {
  int64_t divisor = 0;
  for (AffineExpr result : map.getResults())
    divisor = std::gcd(divisor, divisorOf(result, map.getNumDims(), operands));
  return divisor;
}

static int64_t divisorOf(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return std::abs(*constant);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    bool counts = loop && argument == loop.getInductionVar();
    return counts ? std::gcd(divisorOf(loop.getLowerBound()), divisorOf(loop.getStep())) : 1;
  }
  Operation *op = value.getDefiningOp();
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return divisorOf(apply.getAffineMap(), apply.getMapOperands());
  if (auto least = dyn_cast<affine::AffineMinOp>(op))
    return divisorOf(least.getMap(), least.getOperands());
  if (auto most = dyn_cast<affine::AffineMaxOp>(op))
    return divisorOf(most.getMap(), most.getOperands());
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return std::gcd(divisorOf(op->getOperand(0)), divisorOf(op->getOperand(1)));
  if (isa<arith::MulIOp>(op))
    return divisorOf(op->getOperand(0)) * divisorOf(op->getOperand(1));
  return 1;
}

LaneIndex::LaneIndex(Value index) : map(AffineMap::get(1, 0, getAffineDimExpr(0, index.getContext()))) {
  if (std::optional<int64_t> known = getConstantIntValue(index)) {
    constant = *known;
    map = AffineMap::getConstantMap(0, index.getContext());
    return;
  }
  if (auto add = index.getDefiningOp<arith::AddIOp>())
    if (std::optional<int64_t> known = getConstantIntValue(add.getRhs())) {
      *this = LaneIndex(add.getLhs());
      constant += *known;
      return;
    }
  operands.push_back(index);
  auto apply = index.getDefiningOp<affine::AffineApplyOp>();
  if (!apply)
    return;
  map = apply.getAffineMap();
  operands.assign(apply.getMapOperands().begin(), apply.getMapOperands().end());
  auto sum = dyn_cast<AffineBinaryOpExpr>(map.getResult(0));
  if (!sum || sum.getKind() != AffineExprKind::Add)
    return;
  if (auto known = dyn_cast<AffineConstantExpr>(sum.getRHS())) {
    constant = known.getValue();
    map = AffineMap::get(map.getNumDims(), map.getNumSymbols(), sum.getLHS());
  }
}

std::optional<int64_t> LaneIndex::lane() const {
  if (constant < 0 || divisorOf(map, operands) % lanes != 0)
    return std::nullopt;
  return constant % lanes;
}

Value LaneIndex::emitVector(ImplicitLocOpBuilder &b) const {
  Value number = arith::ConstantIndexOp::create(b, constant / lanes);
  if (operands.empty())
    return number;
  Value vector;
  // Use an unsigned division here, since an affine floordiv would add code for negative numbers.
  if (isa<AffineDimExpr>(map.getResult(0))) {
    vector = arith::DivUIOp::create(b, operands[0], arith::ConstantIndexOp::create(b, lanes));
  } else {
    AffineMap floor = AffineMap::get(map.getNumDims(), map.getNumSymbols(), map.getResult(0).floorDiv(lanes));
    vector = affine::makeComposedAffineApply(b, b.getLoc(), floor, getAsOpFoldResult(operands));
  }
  return b.createOrFold<arith::AddIOp>(vector, number);
}
