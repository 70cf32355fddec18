//===- LaneReduction.cpp - reductions along the lanes ----------------------===//

#include "LaneReduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace heddle;

LaneReduction::LaneReduction(RewriterBase &rewriter, linalg::LinalgOp op, const LaneOptions &options)
    : b(op.getLoc(), rewriter), op(op), sizes(op.getStaticLoopRanges()),
      // As many accumulators as lanes are to stay in registers.
      width(options.registers >= 2 * options.width ? options.width : options.width / 2) {}

bool LaneReduction::fits() {
  if (!op.hasPureTensorSemantics() || llvm::any_of(sizes, ShapedType::isDynamic) || op.getNumDpsInits() != 1)
    return false;
  for (auto [dim, type] : llvm::enumerate(op.getIteratorTypesArray()))
    type == utils::IteratorType::parallel ? outer.push_back(dim) : void(reduced = dim);
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (outer.size() + 1 != sizes.size() || !result.isProjectedPermutation() ||
      result.getNumResults() != outer.size() || outer.empty())
    return false;
  lane = result.getDimPosition(result.getNumResults() - 1);
  llvm::erase(outer, lane);
  bool found = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!isa<ShapedType>(input->get().getType()))
      continue;
    if (!map.isProjectedPermutation())
      return false;
    std::optional<unsigned> at = map.getResultPosition(b.getAffineDimExpr(reduced));
    if (at && *at != map.getNumResults() - 1)
      return false;
    found |= at.has_value();
  }
  width = std::min<int64_t>(width, llvm::bit_floor(uint64_t(sizes[reduced])));
  return found && splitBody();
}

bool LaneReduction::splitBody() {
  Value accumulator = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  SetVector<Value> terms;
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (inner.hasTrait<OpTrait::ConstantLike>())
      continue;
    if (!OpTrait::hasElementwiseMappableTraits(&inner) || inner.getNumResults() != 1)
      return false;
    auto isAfter = [&](Value value) {
      return value == accumulator || llvm::is_contained(after, value.getDefiningOp());
    };
    bool combines = llvm::any_of(inner.getOperands(), isAfter);
    (combines ? after : before).push_back(&inner);
    for (Value operand : inner.getOperands())
      if (combines && !isAfter(operand) && operand.getParentBlock() == op.getBlock() &&
          !matchPattern(operand, m_Constant()))
        terms.insert(operand);
  }
  if (terms.size() != 1 || after.empty() || op.getBlock()->getTerminator()->getOperand(0) != after.back()->getResult(0))
    return false;
  term = terms.front();
  return true;
}

Value LaneReduction::constant(int64_t value) { return arith::ConstantIndexOp::create(b, value); }

Value LaneReduction::loop(int64_t end, int64_t step, Value init, function_ref<Value(Value, Value)> body) {
  if (end <= step)
    return end > 0 ? body(constant(0), init) : init;
  auto loop = scf::ForOp::create(b, constant(0), constant(end), constant(step), init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  scf::YieldOp::create(b, body(loop.getInductionVar(), loop.getRegionIterArg(0)));
  return loop.getResult(0);
}

/// Results side by side outermost: what they read stays in the cache for the other dimensions.
Value LaneReduction::emit() {
  b.setInsertionPoint(op);
  Value result = op.getDpsInitOperand(0)->get();
  auto fill = result.getDefiningOp<linalg::FillOp>();
  start = fill && fill->hasOneUse() ? fill.value() : Value();
  if (start)
    result = fill.output();
  SmallVector<Value> at(sizes.size());
  int64_t whole = sizes[lane] - sizes[lane] % width;
  result = loop(whole, width, result, [&](Value first, Value into) {
    at[lane] = first;
    return overOuter(0, at, width, into);
  });
  at[lane] = constant(whole);
  return whole < sizes[lane] ? overOuter(0, at, sizes[lane] - whole, result) : result;
}

Value LaneReduction::overOuter(unsigned i, SmallVector<Value> &at, int64_t count, Value result) {
  if (i == outer.size())
    return tile(at, count, result);
  return loop(sizes[outer[i]], 1, result, [&](Value index, Value into) {
    at[outer[i]] = index;
    return overOuter(i + 1, at, count, into);
  });
}

/// `count` results from at[lane] on.
Value LaneReduction::tile(ArrayRef<Value> at, int64_t count, Value result) {
  int64_t size = sizes[reduced], whole = size - size % width;
  SmallVector<Value> parts = chunk(at, constant(0), width, {}, count);
  if (whole > width) {
    auto loop = scf::ForOp::create(b, constant(width), constant(whole), constant(width), parts);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      scf::YieldOp::create(b, chunk(at, loop.getInductionVar(), width,
                                    llvm::to_vector_of<Value>(loop.getRegionIterArgs()), count));
    }
    parts.assign(loop.getResults().begin(), loop.getResults().end());
  }
  if (whole < size)
    parts = chunk(at, constant(whole), size - whole, parts, count);
  Value sum = folded(parts);
  auto type = VectorType::get({count}, cast<VectorType>(sum.getType()).getElementType());
  if (count < width)
    sum = vector::ExtractStridedSliceOp::create(b, sum, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{count},
                                                ArrayRef<int64_t>{1});
  SmallVector<Value> indices;
  for (AffineExpr expr : op.getMatchingIndexingMap(op.getDpsInitOperand(0)).getResults())
    indices.push_back(at[cast<AffineDimExpr>(expr).getPosition()]);
  bool inBounds[] = {true};
  Value before = start ? toVector(start, count)
                       : Value(vector::TransferReadOp::create(b, type, result, indices, /*padding=*/std::nullopt,
                                                              ArrayRef<bool>(inBounds)));
  return vector::TransferWriteOp::create(b, combined(sum, before), result, indices, ArrayRef<bool>(inBounds))
      .getResult();
}

/// The partial results after `valid` more elements; the first ones without accumulators.
SmallVector<Value> LaneReduction::chunk(ArrayRef<Value> at, Value from, int64_t valid,
                                        ArrayRef<Value> accumulators, int64_t count) {
  Value mask;
  if (valid < width)
    mask = vector::ConstantMaskOp::create(b, VectorType::get({width}, b.getI1Type()), ArrayRef<int64_t>{valid});
  IRMapping shared;
  SmallVector<Value> results, position(at);
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0)
      position[lane] = b.createOrFold<arith::AddIOp>(at[lane], constant(i));
    IRMapping values = shared;
    for (OpOperand *input : op.getDpsInputOperands()) {
      BlockArgument arg = op.getMatchingBlockArgument(input);
      if (values.contains(arg))
        continue;
      values.map(arg, load(*input, position, from, mask));
      if (!op.getMatchingIndexingMap(input).isFunctionOfDim(lane))
        shared.map(arg, values.lookup(arg));
    }
    if (Value sum = accumulators.empty() ? Value() : fused(values, accumulators[i])) {
      results.push_back(sum);
    } else {
      for (Operation *inner : before)
        values.map(inner->getResult(0), onVectors(*inner, values, width));
      Value value = toVector(values.lookupOrDefault(term), width);
      results.push_back(accumulators.empty() ? value : combined(value, accumulators[i]));
    }
    if (mask && !accumulators.empty())
      results.back() = arith::SelectOp::create(b, mask, results.back(), accumulators[i]);
  }
  return results;
}

/// A product that is added, as one operation; null for anything else.
Value LaneReduction::fused(IRMapping &values, Value accumulator) {
  auto product = before.size() == 1 ? dyn_cast<arith::MulFOp>(before.front()) : arith::MulFOp();
  if (!product || after.size() != 1 || !isa<arith::AddFOp>(after.front()))
    return {};
  return vector::FMAOp::create(b, toVector(values.lookupOrDefault(product.getLhs()), width),
                               toVector(values.lookupOrDefault(product.getRhs()), width), accumulator);
}

Value LaneReduction::load(OpOperand &operand, ArrayRef<Value> at, Value from, Value mask) {
  if (!isa<ShapedType>(operand.get().getType()))
    return operand.get();
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<Value> indices;
  for (AffineExpr expr : map.getResults()) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    indices.push_back(dim == reduced ? from : at[dim]);
  }
  if (!map.isFunctionOfDim(reduced))
    return tensor::ExtractOp::create(b, operand.get(), indices);
  Type element = cast<RankedTensorType>(operand.get().getType()).getElementType();
  Value padding = arith::ConstantOp::create(b, b.getZeroAttr(element));
  auto minor = AffineMap::getMinorIdentityMap(map.getNumResults(), 1, b.getContext());
  return vector::TransferReadOp::create(b, VectorType::get({width}, element), operand.get(), indices,
                                        AffineMapAttr::get(minor), padding, mask, b.getBoolArrayAttr({true}));
}

Value LaneReduction::toVector(Value value, int64_t lanes) {
  if (isa<VectorType>(value.getType()))
    return value;
  return b.createOrFold<vector::BroadcastOp>(VectorType::get({lanes}, value.getType()), value);
}

Value LaneReduction::onVectors(Operation &inner, IRMapping &values, int64_t lanes) {
  SmallVector<Value> operands;
  for (Value operand : inner.getOperands()) {
    if (operand.getParentBlock() == op.getBlock() && matchPattern(operand, m_Constant()) && !values.contains(operand))
      values.map(operand, b.clone(*operand.getDefiningOp())->getResult(0));
    operands.push_back(toVector(values.lookupOrDefault(operand), lanes));
  }
  OperationState state(b.getLoc(), inner.getName(), operands,
                       {VectorType::get({lanes}, inner.getResult(0).getType())}, inner.getAttrs());
  return b.create(state)->getResult(0);
}

Value LaneReduction::combined(Value x, Value accumulator) {
  IRMapping values;
  values.map(term, x);
  values.map(op.getMatchingBlockArgument(op.getDpsInitOperand(0)), accumulator);
  for (Operation *inner : after)
    values.map(inner->getResult(0), onVectors(*inner, values, cast<VectorType>(x.getType()).getDimSize(0)));
  return values.lookup(after.back()->getResult(0));
}

/// Which lanes of (a, b) a round of folding brings together: lane i of the first vector is
/// combined with lane i of the second. Rounds within four lanes come first, they are cheaper.
static std::pair<SmallVector<int64_t>, SmallVector<int64_t>> foldingRound(int64_t round, int64_t width) {
  SmallVector<int64_t> low, high;
  int64_t unit = std::min<int64_t>(width, 4), groups = width / unit;
  for (int64_t i = 0; i < width; ++i) {
    int64_t group = i / unit, j = i % unit, from, distance;
    bool second;
    if (round == 0) { // a0 b0 a1 b1
      second = j % 2;
      from = group * unit + j / 2;
      distance = unit / 2;
    } else if (round == 1 && unit == 4) { // a0 a1 b0 b1
      second = j >= 2;
      from = group * unit + j % 2;
      distance = 2;
    } else if (round == 2) { // halves of the groups
      second = group >= groups / 2;
      from = group % (groups / 2) * unit + j;
      distance = groups / 2 * unit;
    } else { // groups 0 and 2 of both
      second = group >= 2;
      from = group % 2 * 2 * unit + j;
      distance = unit;
    }
    low.push_back(from + (second ? width : 0));
    high.push_back(low.back() + distance);
  }
  return {low, high};
}

/// Lane i of the result is part i folded.
Value LaneReduction::folded(SmallVector<Value> parts) {
  for (int64_t round = 0, lanes = width; lanes > 1; ++round, lanes /= 2) {
    auto [low, high] = foldingRound(round, width);
    SmallVector<Value> next;
    for (size_t i = 0; i < parts.size(); i += 2) {
      Value first = parts[i], second = i + 1 < parts.size() ? parts[i + 1] : first;
      next.push_back(combined(vector::ShuffleOp::create(b, first, second, low),
                              vector::ShuffleOp::create(b, first, second, high)));
    }
    parts = next;
  }
  return parts.front();
}
