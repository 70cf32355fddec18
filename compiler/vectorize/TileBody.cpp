//===- TileBody.cpp - the scalar body of a linalg op over lanes -----------===//

#include "TileVectorizer.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;

LaneValue TileVectorizer::lookup(Value value) {
  auto known = bodyValues.find(value);
  return known == bodyValues.end() ? LaneValue{LaneValue::Uniform, value} : known->second;
}

Value TileVectorizer::asVector(LaneValue lane) {
  if (lane.kind == LaneValue::Vector)
    return lane.value;
  Type type = lane.value.getType();
  Value vector = vector::BroadcastOp::create(b, loc, vectorOf(type), lane.value);
  if (lane.kind == LaneValue::Uniform)
    return vector;
  Value step = vector::StepOp::create(b, loc, vectorOf(b.getIndexType()));
  if (!type.isIndex())
    step = arith::IndexCastOp::create(b, loc, vectorOf(type), step);
  return arith::AddIOp::create(b, loc, vector, step);
}

SmallVector<LaneValue> TileVectorizer::evaluate(const TilePoint &point, ArrayRef<LaneValue> arguments) {
  bodyValues.clear();
  width = widthFor(point.valid);
  Block *body = op.getBlock();
  SmallVector<LaneValue> results(op.getNumDpsInits());
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (argument && arguments[operand.getOperandNumber()].value)
      bodyValues[argument] = arguments[operand.getOperandNumber()];
  }
  for (Operation &inner : body->without_terminator()) {
    bodyValues[inner.getResult(0)] = evaluateOp(inner, point);
    if (failed)
      return results;
  }
  for (auto [result, value] : llvm::zip(results, body->getTerminator()->getOperands()))
    result = lookup(value);
  return results;
}

/// a x b + c, where nothing else uses the product.
LaneValue TileVectorizer::fusedMultiplyAdd(Operation &op) {
  for (unsigned i : {0u, 1u}) {
    auto product = op.getOperand(i).getDefiningOp<arith::MulFOp>();
    if (!product || !product->hasOneUse() || product->getBlock() != op.getBlock())
      continue;
    Value fma = math::FmaOp::create(b, loc, asVector(lookup(product.getLhs())), asVector(lookup(product.getRhs())),
                                    asVector(lookup(op.getOperand(1 - i))));
    Operation *dead = lookup(product).value.getDefiningOp();
    if (dead && dead->use_empty())
      b.eraseOp(dead);
    return {LaneValue::Vector, fma};
  }
  return {};
}

/// What tiling puts into a body: an index moved by the place of the tile.
LaneValue TileVectorizer::evaluateAffine(AffineExpr expr, ArrayRef<LaneValue> dims, ArrayRef<LaneValue> symbols) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return {LaneValue::Uniform, toValue(b.getIndexAttr(constant.getValue()))};
  auto binary = cast<AffineBinaryOpExpr>(expr);
  LaneValue left = evaluateAffine(binary.getLHS(), dims, symbols), right = evaluateAffine(binary.getRHS(), dims, symbols);
  bool sum = expr.getKind() == AffineExprKind::Add;
  bool uniform = left.kind == LaneValue::Uniform && right.kind == LaneValue::Uniform;
  bool iota = sum && left.kind != LaneValue::Vector && right.kind != LaneValue::Vector &&
              (left.kind == LaneValue::Uniform || right.kind == LaneValue::Uniform);
  LaneValue::Kind kind = uniform ? LaneValue::Uniform : iota ? LaneValue::Iota : LaneValue::Vector;
  Value x = kind == LaneValue::Vector ? asVector(left) : left.value;
  Value y = kind == LaneValue::Vector ? asVector(right) : right.value;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return {kind, arith::AddIOp::create(b, loc, x, y)};
  case AffineExprKind::Mul:
    return {kind, arith::MulIOp::create(b, loc, x, y)};
  case AffineExprKind::Mod: // indices are not negative
    return {kind, arith::RemUIOp::create(b, loc, x, y)};
  case AffineExprKind::FloorDiv:
    return {kind, arith::DivUIOp::create(b, loc, x, y)};
  default:
    failed = true;
    return {};
  }
}

LaneValue TileVectorizer::evaluateOp(Operation &inner, const TilePoint &point) {
  if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
    bool iota = static_cast<int>(index.getDim()) == plan.lane;
    return {iota ? LaneValue::Iota : LaneValue::Uniform, toValue(point.at[index.getDim()])};
  }
  if (isa<tensor::ExtractOp>(inner))
    return evaluateExtract(inner, point);
  if (auto apply = dyn_cast<affine::AffineApplyOp>(inner)) {
    SmallVector<LaneValue> dims, symbols;
    for (Value operand : apply.getDimOperands())
      dims.push_back(lookup(operand));
    for (Value operand : apply.getSymbolOperands())
      symbols.push_back(lookup(operand));
    return evaluateAffine(apply.getAffineMap().getResult(0), dims, symbols);
  }
  if (inner.getNumRegions() || inner.getNumResults() != 1 || !isMemoryEffectFree(&inner)) {
    inner.emitError() << "cannot be vectorised in the body of " << op->getName();
    failed = true;
    return {};
  }
  SmallVector<LaneValue> operands;
  IRMapping scalars;
  bool uniform = true;
  for (Value operand : inner.getOperands()) {
    operands.push_back(lookup(operand));
    uniform &= operands.back().kind == LaneValue::Uniform;
    scalars.map(operand, operands.back().value);
  }
  if (uniform)
    return {LaneValue::Uniform, b.clone(inner, scalars)->getResult(0)};

  // index + uniform keeps its form, so that a lookup of consecutive elements is seen.
  if (isa<arith::AddIOp>(inner) && operands[0].kind != LaneValue::Vector && operands[1].kind != LaneValue::Vector &&
      (operands[0].kind == LaneValue::Uniform || operands[1].kind == LaneValue::Uniform))
    return {LaneValue::Iota, b.clone(inner, scalars)->getResult(0)};
  if (isa<arith::IndexCastOp>(inner) && operands[0].kind == LaneValue::Iota)
    return {LaneValue::Iota, b.clone(inner, scalars)->getResult(0)};

  // A running maximum is one instruction if a NaN may lose, as it does in maxnumf.
  bool joins = llvm::any_of(accumulated, [&](unsigned output) { return combiner(output) == &inner; });
  if (joins && isa<arith::MaxNumFOp, arith::MinNumFOp>(inner)) {
    auto argument = dyn_cast<BlockArgument>(inner.getOperand(0));
    bool accumulatorFirst = argument && argument.getArgNumber() >= op.getNumDpsInputs();
    Value left = asVector(operands[accumulatorFirst ? 1 : 0]), right = asVector(operands[accumulatorFirst ? 0 : 1]);
    auto order = isa<arith::MaxNumFOp>(inner) ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT;
    Value better = arith::CmpFOp::create(b, loc, order, left, right);
    return {LaneValue::Vector, arith::SelectOp::create(b, loc, better, left, right)};
  }
  if (isa<arith::AddFOp>(inner))
    if (LaneValue fma = fusedMultiplyAdd(inner); fma.value)
      return fma;
  if (!OpTrait::hasElementwiseMappableTraits(&inner)) {
    inner.emitError() << "cannot be vectorised in the body of " << op->getName();
    failed = true;
    return {};
  }
  IRMapping vectors;
  for (auto [operand, lane] : llvm::zip(inner.getOperands(), operands))
    vectors.map(operand, asVector(lane));
  Operation *clone = b.clone(inner, vectors);
  clone->getResult(0).setType(vectorOf(inner.getResult(0).getType()));
  return {LaneValue::Vector, clone->getResult(0)};
}

/// A lookup: one element, consecutive elements, or element by element.
LaneValue TileVectorizer::evaluateExtract(Operation &inner, const TilePoint &point) {
  auto extract = cast<tensor::ExtractOp>(inner);
  SmallVector<LaneValue> at;
  bool uniform = true, consecutive = !extract.getIndices().empty();
  for (auto [position, index] : llvm::enumerate(extract.getIndices())) {
    at.push_back(lookup(index));
    uniform &= at.back().kind == LaneValue::Uniform;
    bool last = position + 1 == extract.getIndices().size();
    consecutive &= at.back().kind == (last ? LaneValue::Iota : LaneValue::Uniform);
  }
  Value tensor = lookup(extract.getTensor()).value;
  SmallVector<OpFoldResult> first;
  for (LaneValue lane : at)
    first.push_back(lane.value);
  if (uniform)
    return {LaneValue::Uniform, scalarAt(tensor, first)};
  if (consecutive)
    return {LaneValue::Vector, readVector(tensor, first, point.valid)};
  SmallVector<Value> elements, vectors;
  for (LaneValue lane : at)
    vectors.push_back(lane.kind == LaneValue::Uniform ? Value() : asVector(lane));
  for (int64_t lane = 0; lane < width; ++lane) {
    if (lane >= point.valid) {
      elements.push_back(elements.front());
      continue;
    }
    SmallVector<OpFoldResult> place;
    for (auto [value, vector] : llvm::zip(at, vectors))
      place.push_back(vector ? Value(vector::ExtractOp::create(b, loc, vector, lane)) : value.value);
    elements.push_back(scalarAt(tensor, place));
  }
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  return {LaneValue::Vector, vector::FromElementsOp::create(b, loc, vectorOf(element), elements)};
}
