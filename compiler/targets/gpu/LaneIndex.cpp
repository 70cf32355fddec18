//===- LaneIndex.cpp - indices in units of vectors ------------------------===//

#include "LaneIndex.h"

#include "tiles/Divisors.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace heddle;

LaneIndex::LaneIndex(Value index, int64_t lanes)
    : lanes(lanes), map(AffineMap::get(1, 0, getAffineDimExpr(0, index.getContext()))) {
  if (std::optional<int64_t> known = getConstantIntValue(index)) {
    constant = *known;
    map = AffineMap::getConstantMap(0, index.getContext());
    return;
  }
  if (auto add = index.getDefiningOp<arith::AddIOp>())
    if (std::optional<int64_t> known = getConstantIntValue(add.getRhs())) {
      *this = LaneIndex(add.getLhs(), lanes);
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
  if (constant < 0 || findDivisor(map, operands) % lanes != 0)
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
