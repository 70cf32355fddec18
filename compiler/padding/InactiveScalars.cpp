//===- InactiveScalars.cpp - constants at inactive positions --------------===//
//
// The activity mask is 0 at inactive positions. Tensors that are computed from
// the activity mask, such as attention masks, therefore have known values at
// inactive positions. These values are found by constant folding of the scalar
// casts, comparisons and arithmetic in bodies of linalg ops.
//
//===----------------------------------------------------------------------===//

#include "InactivePositions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

InactivePositions::Known InactivePositions::valueAt(Value value, StringRef tags, bool active) {
  auto [entry, isNew] = known[active].try_emplace({value.getAsOpaquePointer(), tags.str()}, Known());
  if (isNew)
    entry->second = computeAt(value, tags, active);
  return entry->second;
}

/// Computes what valueAt() returns and caches.
InactivePositions::Known InactivePositions::computeAt(Value value, StringRef tags, bool active) {
  if (value == flags && tags == flagTags()) {
    Type type = getElementTypeOrSelf(value.getType());
    if (!active)
      return {Known::Number, IntegerAttr::get(type, 0)};
    if (type.isInteger(1) || (lowestFlag == 0 && highestFlag == 1))
      return {Known::Number, IntegerAttr::get(type, 1)};
    return {Known::NotZero};
  }
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant))) {
    auto elements = dyn_cast<DenseElementsAttr>(constant);
    if (elements && elements.isSplat())
      return {Known::Number, elements.getSplatValue<Attribute>()};
    return isa<FloatAttr, IntegerAttr>(constant) ? Known{Known::Number, constant} : Known();
  }
  auto reshape = [&](auto reshape, bool expanded) -> Known {
    auto shape = [](Value v) { return cast<RankedTensorType>(v.getType()).getShape(); };
    std::optional<PositionTags> before = reshapeTags(tags, shape(reshape.getResult()), shape(reshape.getSrc()),
                                                     reshape.getReassociationIndices(), /*expands=*/!expanded);
    return before ? valueAt(reshape.getSrc(), *before, active) : Known();
  };
  if (auto expand = value.getDefiningOp<tensor::ExpandShapeOp>())
    return reshape(expand, true);
  if (auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>())
    return reshape(collapse, false);
  auto loops = value.getDefiningOp<linalg::LinalgOp>();
  if (!loops || loops.getNumParallelLoops() != loops.getNumLoops())
    return {};
  unsigned number = cast<OpResult>(value).getResultNumber();
  AffineMap out = loops.getMatchingIndexingMap(loops.getDpsInitOperand(number));
  if (!out.isPermutation())
    return {};
  PositionTags loopTags(loops.getNumLoops(), '-');
  for (auto [expr, tag] : llvm::zip(out.getResults(), tags))
    loopTags[cast<AffineDimExpr>(expr).getPosition()] = tag;
  Scalars scalars;
  evaluateBody(loops, loopTags, active, /*depends=*/nullptr, scalars);
  return lookup(loops.getBlock()->getTerminator()->getOperand(number), scalars);
}

void InactivePositions::evaluateBody(linalg::LinalgOp op, StringRef loopTags, bool active, OpOperand *depends,
                                     Scalars &scalars) {
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (!argument)
      continue;
    if (&operand == depends) {
      scalars[argument] = {Known::Depends};
      continue;
    }
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
      continue;
    PositionTags tags;
    for (AffineExpr expr : map.getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      tags += dim ? loopTags[dim.getPosition()] : '-';
    }
    scalars[argument] = valueAt(operand.get(), tags, active);
  }
  ScalarBounds body{op, loopTags.str(), std::nullopt, {}};
  auto isFinite = [&](Value scalar) -> bool {
    std::optional<Bounds> bounds = boundScalar(body, scalar);
    return bounds && bounds->isFinite();
  };
  for (Operation &inner : op.getBlock()->without_terminator()) {
    Known result = evaluate(inner, scalars, isFinite);
    for (Value value : inner.getResults())
      scalars[value] = result;
  }
}

/// Returns what is known about `value`: its entry in `scalars`, or its value if it is a constant.
InactivePositions::Known InactivePositions::lookup(Value value, const Scalars &scalars) {
  auto it = scalars.find(value);
  if (it != scalars.end())
    return it->second;
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)) && isa<FloatAttr, IntegerAttr>(constant))
    return {Known::Number, constant};
  return {};
}

InactivePositions::Known InactivePositions::evaluate(Operation &op, const Scalars &scalars,
                                                     function_ref<bool(Value)> isFinite) {
  if (op.hasTrait<OpTrait::ConstantLike>())
    return lookup(op.getResult(0), Scalars());
  SmallVector<Known> operands =
      llvm::map_to_vector(op.getOperands(), [&](Value operand) { return lookup(operand, scalars); });
  bool depends = llvm::any_of(operands, [](const Known &k) { return k.kind == Known::Depends; });
  Known unknown{depends ? Known::Depends : Known::Other};
  if (op.getNumRegions()) // a region may capture values that depend on the examined elements
    return {Known::Depends};
  auto integer = [](const Known &k) { return k.kind == Known::Number ? dyn_cast<IntegerAttr>(k.number) : nullptr; };
  if (isa<arith::SelectOp>(op)) {
    if (IntegerAttr condition = integer(operands[0]))
      return operands[condition.getValue().isZero() ? 2 : 1];
    return unknown;
  }
  // A product with 0 is 0 only if the other factor is finite. (heddle-skip-padding will replace rows of layers' results
  // by zeros later. The ranges that prove that a factor is finite remain correct, since the range of a layer's result
  // contains 0.)
  if (isa<arith::MulFOp>(op))
    for (auto [i, factor] : llvm::enumerate(operands))
      if (factor.kind == Known::Number && cast<FloatAttr>(factor.number).getValue().isZero() &&
          isFinite(op.getOperand(1 - i)))
        return {Known::Number, FloatAttr::get(cast<FloatAttr>(factor.number).getType(), 0.0)};
  if (isa<arith::AndIOp, arith::MulIOp>(op))
    for (const Known &operand : operands)
      if (IntegerAttr number = integer(operand); number && number.getValue().isZero())
        return operand;
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    IntegerAttr right = integer(operands[1]);
    bool equality = compare.getPredicate() == arith::CmpIPredicate::ne || compare.getPredicate() == arith::CmpIPredicate::eq;
    if (operands[0].kind == Known::NotZero && right && right.getValue().isZero() && equality)
      return {Known::Number, BoolAttr::get(op.getContext(), compare.getPredicate() == arith::CmpIPredicate::ne)};
  }
  if (depends || op.getNumResults() != 1)
    return unknown;
  SmallVector<Attribute> numbers = llvm::map_to_vector(
      operands, [](const Known &k) { return k.kind == Known::Number ? k.number : Attribute(); });
  // Fold a copy, since some operations are changed by folding.
  SmallVector<OpFoldResult> folded;
  Operation *copy = op.clone();
  bool isFolded = op.getNumOperands() && succeeded(copy->fold(numbers, folded)) && folded.size() == 1;
  copy->destroy();
  if (!isFolded)
    return unknown;
  if (auto number = dyn_cast<Attribute>(folded[0]))
    return {Known::Number, number};
  return lookup(cast<Value>(folded[0]), scalars);
}

bool InactivePositions::isActive(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.getElementType().isInteger(1) || type.getShape() != ArrayRef<int64_t>{batch, positions})
    return false;
  auto is = [&](bool active) {
    Known flag = valueAt(value, PositionTags{batchTag, positionTag}, active);
    auto number = flag.kind == Known::Number ? dyn_cast<IntegerAttr>(flag.number) : nullptr;
    return number && number.getValue().isZero() != active;
  };
  return is(false) && is(true);
}
