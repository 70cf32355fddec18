//===- BodyForm.cpp - classifies the body of a linalg op ------------------===//

#include "LaneBody.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

bool heddle::isAccumulated(linalg::LinalgOp op, unsigned output) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(output));
  return llvm::any_of(llvm::enumerate(op.getIteratorTypesArray()), [&](auto loop) {
    return loop.value() == utils::IteratorType::reduction && !map.isFunctionOfDim(loop.index());
  });
}

Operation *heddle::combinerOf(linalg::LinalgOp op, unsigned output) {
  Operation *last = op.getBlock()->getTerminator()->getOperand(output).getDefiningOp();
  BlockArgument accumulator = op.getMatchingBlockArgument(op.getDpsInitOperand(output));
  if (!last || last->getNumOperands() != 2 || !llvm::is_contained(last->getOperands(), accumulator) ||
      !accumulator.hasOneUse())
    return nullptr;
  return linalg::getCombinerOpKind(last) && arith::getNeutralElement(last) ? last : nullptr;
}

bool heddle::isExtremum(linalg::LinalgOp op, unsigned output) {
  return isa_and_nonnull<arith::MaxNumFOp, arith::MinNumFOp>(combinerOf(op, output));
}

bool heddle::isConstantNumber(Value value) {
  while (auto part = value.getDefiningOp<vector::ExtractOp>())
    value = part.getSource();
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return false;
  if (auto splat = dyn_cast<SplatElementsAttr>(constant))
    constant = splat.getSplatValue<Attribute>();
  auto number = dyn_cast<FloatAttr>(constant);
  return number && !number.getValue().isNaN();
}

bool heddle::isExtremumOfNumber(linalg::LinalgOp op, unsigned output) {
  if (!isExtremum(op, output))
    return false;
  Value start = op.getDpsInitOperand(output)->get();
  while (auto slice = start.getDefiningOp<tensor::ExtractSliceOp>())
    start = slice.getSource();
  auto fill = start.getDefiningOp<linalg::FillOp>();
  return fill && isConstantNumber(fill.value());
}

Value heddle::extremum(VectorBuilder &b, bool largest, Value left, Value right) {
  auto order = largest ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
  return arith::SelectOp::create(b, arith::CmpFOp::create(b, order, left, right), left, right);
}

/// Returns whether LaneBody, which evaluates a linalg body on vectors, can evaluate the body's op `inner`.
static bool hasForm(Operation &inner) {
  if (auto apply = dyn_cast<affine::AffineApplyOp>(inner)) {
    bool hasForm = true;
    apply.getAffineMap().walkExprs([&](AffineExpr expr) { hasForm &= expr.getKind() != AffineExprKind::CeilDiv; });
    return hasForm;
  }
  return isa<linalg::IndexOp, tensor::ExtractOp>(inner) || inner.hasTrait<OpTrait::ConstantLike>() ||
         OpTrait::hasElementwiseMappableTraits(&inner);
}

Operation *heddle::opWithoutForm(linalg::LinalgOp op) {
  for (Operation &inner : op.getBlock()->without_terminator())
    if (!hasForm(inner))
      return &inner;
  return nullptr;
}

LogicalResult heddle::checkBody(linalg::LinalgOp op) {
  if (Operation *inner = opWithoutForm(op))
    return inner->emitOpError() << "cannot be vectorised in the body of " << op->getName();
  return success();
}
