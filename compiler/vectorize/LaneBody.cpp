//===- LaneBody.cpp - evaluates a linalg body on vectors ------------------===//

#include "LaneBody.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace heddle;

LaneValue LaneValue::of(mlir::Value value) { return {isa<VectorType>(value.getType()) ? Vector : Uniform, value}; }

LaneValue LaneBody::get(Value value) const {
  auto found = known.find(value);
  return found == known.end() ? LaneValue{LaneValue::Uniform, value} : found->second;
}

Value heddle::asVector(VectorBuilder &b, LaneValue lane, int64_t width) {
  Type type = lane.value.getType();
  Value vector = b.broadcast(lane.value, width);
  if (lane.kind != LaneValue::Iota)
    return vector;
  Value step = vector::StepOp::create(b, VectorType::get({width}, b.getIndexType()));
  if (!type.isIndex())
    step = arith::IndexCastOp::create(b, vector.getType(), step);
  return arith::AddIOp::create(b, vector, step);
}

/// Returns the product that can be fused with `add` because nothing else uses it; null if there is none.
static arith::MulFOp fusableProduct(arith::AddFOp add) {
  for (Value side : {add.getLhs(), add.getRhs()})
    if (auto product = side.getDefiningOp<arith::MulFOp>())
      if (product->hasOneUse() && product->getBlock() == add->getBlock())
        return product;
  return {};
}

/// Returns whether the product becomes part of a fused multiply-add, so it is not evaluated alone.
static bool isFused(arith::MulFOp product) {
  auto add = product->hasOneUse() ? dyn_cast<arith::AddFOp>(*product->user_begin()) : arith::AddFOp();
  return add && fusableProduct(add) == product;
}

SmallVector<LaneValue> LaneBody::evaluate() {
  for (Operation &inner : op.getBlock()->without_terminator())
    if (auto product = dyn_cast<arith::MulFOp>(inner); !product || !isFused(product))
      set(inner.getResult(0), evaluate(inner));
  return llvm::map_to_vector(op.getBlock()->getTerminator()->getOperands(), [&](Value value) { return get(value); });
}

void LaneBody::evaluate(ArrayRef<Operation *> ops) {
  for (Operation *inner : ops)
    set(inner->getResult(0), evaluate(*inner));
}

/// Emits a x b + c as a fused multiply-add. Returns an empty value if `add` has no operand that is a fusable product,
/// if the product has already been evaluated, or if a, b and c are uniform; in the last case, first evaluates the
/// product.
LaneValue LaneBody::fusedMultiplyAdd(arith::AddFOp add) {
  arith::MulFOp product = fusableProduct(add);
  if (!product || known.contains(product))
    return {};
  Value other = add.getLhs() == product.getResult() ? add.getRhs() : add.getLhs();
  LaneValue operands[] = {get(product.getLhs()), get(product.getRhs()), get(other)};
  if (llvm::all_of(operands, [](LaneValue operand) { return operand.kind == LaneValue::Uniform; })) {
    set(product, evaluate(*product));
    return {};
  }
  return {LaneValue::Vector,
          vector::FMAOp::create(b, asVector(operands[0]), asVector(operands[1]), asVector(operands[2]))};
}

/// Evaluates an expression of an affine.apply, which tiling puts into bodies to add the offset of a tile to an index.
/// The first `dims` operands are dimensions, the others symbols.
LaneValue LaneBody::affine(AffineExpr expr, ArrayRef<LaneValue> operands, unsigned dims) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[dims + symbol.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return {LaneValue::Uniform, b.index(b.getIndexAttr(constant.getValue()))};
  auto binary = cast<AffineBinaryOpExpr>(expr);
  LaneValue left = affine(binary.getLHS(), operands, dims), right = affine(binary.getRHS(), operands, dims);
  bool sum = expr.getKind() == AffineExprKind::Add;
  bool uniform = left.kind == LaneValue::Uniform && right.kind == LaneValue::Uniform;
  bool iota = sum && left.kind != LaneValue::Vector && right.kind != LaneValue::Vector &&
              (left.kind == LaneValue::Uniform || right.kind == LaneValue::Uniform);
  LaneValue::Kind kind = uniform ? LaneValue::Uniform : iota ? LaneValue::Iota : LaneValue::Vector;
  Value x = kind == LaneValue::Vector ? asVector(left) : left.value;
  Value y = kind == LaneValue::Vector ? asVector(right) : right.value;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return {kind, arith::AddIOp::create(b, x, y)};
  case AffineExprKind::Mul:
    return {kind, arith::MulIOp::create(b, x, y)};
  case AffineExprKind::Mod: // indices are not negative
    return {kind, arith::RemUIOp::create(b, x, y)};
  default:
    assert(expr.getKind() == AffineExprKind::FloorDiv && "checkBody accepts no other affine expressions");
    return {kind, arith::DivUIOp::create(b, x, y)};
  }
}

LaneValue LaneBody::evaluate(Operation &inner) {
  if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
    bool iota = static_cast<int>(index.getDim()) == place.lane;
    return {iota ? LaneValue::Iota : LaneValue::Uniform, b.index(place.at[index.getDim()])};
  }
  if (isa<tensor::ExtractOp>(inner))
    return lookup(inner);
  SmallVector<LaneValue> operands;
  IRMapping scalars;
  bool uniform = true;
  for (Value operand : inner.getOperands()) {
    operands.push_back(get(operand));
    uniform &= operands.back().kind == LaneValue::Uniform;
    scalars.map(operand, operands.back().value);
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(inner))
    return affine(apply.getAffineMap().getResult(0), operands, apply.getAffineMap().getNumDims());
  if (auto add = dyn_cast<arith::AddFOp>(inner)) {
    if (LaneValue fma = fusedMultiplyAdd(add); fma.value)
      return fma;
    for (Value operand : inner.getOperands())
      scalars.map(operand, get(operand).value);
  }
  if (uniform)
    return {LaneValue::Uniform, b.clone(inner, scalars)->getResult(0)};

  // The sum of an Iota and a Uniform value is an Iota, so lookups of consecutive elements are recognised.
  if (isa<arith::AddIOp>(inner) && operands[0].kind != LaneValue::Vector && operands[1].kind != LaneValue::Vector &&
      (operands[0].kind == LaneValue::Uniform || operands[1].kind == LaneValue::Uniform))
    return {LaneValue::Iota, b.clone(inner, scalars)->getResult(0)};
  if (isa<arith::IndexCastOp>(inner) && operands[0].kind == LaneValue::Iota)
    return {LaneValue::Iota, b.clone(inner, scalars)->getResult(0)};

  bool joins = llvm::any_of(llvm::seq(op.getNumDpsInits()), [&](int64_t output) {
    return isAccumulated(op, output) && combinerOf(op, output) == &inner &&
           (numbers.contains(output) || isExtremumOfNumber(op, output));
  });
  if (joins) {
    auto argument = dyn_cast<BlockArgument>(inner.getOperand(0));
    bool accumulatorFirst = argument && argument.getArgNumber() >= op.getNumDpsInputs();
    return {LaneValue::Vector, extremum(b, isa<arith::MaxNumFOp>(inner), asVector(operands[accumulatorFirst ? 1 : 0]),
                                        asVector(operands[accumulatorFirst ? 0 : 1]))};
  }
  IRMapping vectors;
  for (auto [operand, lane] : llvm::zip(inner.getOperands(), operands))
    vectors.map(operand, asVector(lane));
  Operation *clone = b.clone(inner, vectors);
  clone->getResult(0).setType(vectorOf(inner.getResult(0).getType()));
  return {LaneValue::Vector, clone->getResult(0)};
}

/// Emits a tensor.extract as the read of one scalar, of one vector of consecutive elements, or of a scalar for each
/// lane.
LaneValue LaneBody::lookup(Operation &inner) {
  auto extract = cast<tensor::ExtractOp>(inner);
  SmallVector<LaneValue> at;
  bool uniform = true, consecutive = !extract.getIndices().empty();
  for (auto [position, index] : llvm::enumerate(extract.getIndices())) {
    at.push_back(get(index));
    uniform &= at.back().kind == LaneValue::Uniform;
    bool last = position + 1 == extract.getIndices().size();
    consecutive &= at.back().kind == (last ? LaneValue::Iota : LaneValue::Uniform);
  }
  Value tensor = get(extract.getTensor()).value;
  SmallVector<OpFoldResult> first;
  for (LaneValue lane : at)
    first.push_back(lane.value);
  if (uniform)
    return {LaneValue::Uniform, source.element(tensor, first)};
  if (consecutive)
    return {LaneValue::Vector, source.vector(tensor, first, place.width, place.valid)};
  SmallVector<Value> elements, vectors;
  for (LaneValue lane : at)
    vectors.push_back(lane.kind == LaneValue::Uniform ? Value() : asVector(lane));
  for (int64_t lane = 0; lane < place.width; ++lane) {
    if (lane >= place.valid) {
      elements.push_back(elements.front());
      continue;
    }
    SmallVector<OpFoldResult> one;
    for (auto [value, vector] : llvm::zip(at, vectors))
      one.push_back(vector ? Value(vector::ExtractOp::create(b, vector, lane)) : value.value);
    elements.push_back(source.element(tensor, one));
  }
  Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
  return {LaneValue::Vector, vector::FromElementsOp::create(b, vectorOf(element), elements)};
}
