//===- LaneRows.cpp - sums and maxima along the rows of tiles -------------===//

#include "LaneRows.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace heddle;

/// The maximum number of partial results of a lane. An addition takes about four cycles, so with four independent
/// chains of additions, a warp need not wait.
static constexpr int64_t maxParts = 4;

/// Returns the neutral element of an operation that combines two elements; null if none is known. Adding 0 would change
/// -0, so the neutral element of additions is -0.
static TypedAttr neutralOf(Operation *combiner) {
  if (isa<arith::AddFOp>(combiner)) {
    auto type = cast<FloatType>(combiner->getResult(0).getType());
    return FloatAttr::get(type, APFloat::getZero(type.getFloatSemantics(), /*Negative=*/true));
  }
  return arith::getNeutralElement(combiner).value_or(TypedAttr());
}

/// Returns whether any result of the op other than that of the reduction `output` depends on the partial results of
/// this reduction.
static bool isScan(linalg::GenericOp op, unsigned output) {
  auto isShared = [&](Value value) { // by several operations, or by several results
    Operation *first = *value.user_begin();
    return llvm::any_of(value.getUsers(), [&](Operation *user) { return user != first; }) ||
           (first == op.getBody()->getTerminator() && !value.hasOneUse());
  };
  Value partial = op.getRegionOutputArgs()[output];
  if (partial.use_empty() || isShared(partial))
    return !partial.use_empty();
  Operation *combiner = *partial.user_begin();
  return llvm::any_of(combiner->getResults(), [&](Value next) { return !next.use_empty() && isShared(next); });
}

FailureOr<RowReductions> RowReductions::of(linalg::GenericOp op, ArrayRef<unsigned> outputs,
                                           const FragmentLayout &tile) {
  RowReductions result;
  if (outputs.empty())
    return result;
  FailureOr<SmallVector<int64_t>> bits = tile.findSharingBits(op);
  if (failed(bits))
    return failure();
  result.bits = *bits;
  int64_t ofRow = int64_t(tile.findRows().front().size()) * tile.getAcross(); // a lane's elements of a row
  result.parts = std::min(ofRow, maxParts);
  for (unsigned output : outputs) {
    if (isScan(op, output))
      return op.emitError("uses the partial results of a reduction along a row, for which lanes have no code");
    SmallVector<Operation *> combiners;
    bool isReduction = bool(matchReduction(op.getRegionOutputArgs(), output, combiners)) && combiners.size() == 1;
    TypedAttr neutral = isReduction ? neutralOf(combiners.front()) : TypedAttr();
    if (!neutral || !neutral.getType().isF32())
      return op.emitError(
          "combines the elements of a row by an operation that is not a sum, product, maximum or minimum of f32");
    result.reductions.push_back({combiners.front(), neutral});
  }
  return result;
}

Value RowReductions::combine(ImplicitLocOpBuilder &b, size_t number, Value left, Value right) const {
  Operation *combiner = reductions[number].combiner;
  IRMapping mapping;
  mapping.map(combiner->getOperands(), ValueRange{left, right});
  return b.clone(*combiner, mapping)->getResult(0);
}

SmallVector<SmallVector<Value>> RowReductions::emitStart(ImplicitLocOpBuilder &b) const {
  return llvm::map_to_vector(reductions, [&](const Reduction &reduction) {
    Value neutral = arith::ConstantOp::create(b, reduction.neutral);
    return SmallVector<Value>(parts, neutral);
  });
}

Value RowReductions::emitLaneResult(ImplicitLocOpBuilder &b, size_t number, ArrayRef<Value> parts) const {
  SmallVector<Value> left(parts);
  for (; left.size() > 1; left.resize((left.size() + 1) / 2))
    for (size_t i = 0; 2 * i < left.size(); ++i)
      left[i] = 2 * i + 1 < left.size() ? combine(b, number, left[2 * i], left[2 * i + 1]) : left[2 * i];
  return left.front();
}

Value RowReductions::emitWarpResult(ImplicitLocOpBuilder &b, size_t number, Value ofLane) const {
  Value result = ofLane;
  for (int64_t bit : bits) {
    auto other = gpu::ShuffleOp::create(b, result, bit, /*width=*/32, gpu::ShuffleMode::XOR);
    result = combine(b, number, result, other.getShuffleResult());
  }
  return result;
}

Value RowReductions::emitNumber(ImplicitLocOpBuilder &b, Value lane) const {
  AffineExpr d0 = b.getAffineDimExpr(0), number = b.getAffineConstantExpr(0);
  for (size_t first = 0, end; first < bits.size(); first = end) { // a group of adjacent bits
    for (end = first + 1; end < bits.size() && bits[end] == 2 * bits[end - 1]; ++end) {
    }
    number = number + d0.floorDiv(bits[first]) % (int64_t(1) << (end - first)) * (int64_t(1) << first);
  }
  return affine::makeComposedAffineApply(b, b.getLoc(), AffineMap::get(1, 0, number), {OpFoldResult(lane)});
}

Value heddle::emitIsFirst(ImplicitLocOpBuilder &b, Value lane, ArrayRef<int64_t> bits) {
  int64_t mask = 0;
  for (int64_t bit : bits)
    mask |= bit;
  Value index = arith::AndIOp::create(b, lane, Value(arith::ConstantIndexOp::create(b, mask)));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, index, Value(arith::ConstantIndexOp::create(b, 0)));
}

bool heddle::addsWidened(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 1)
    return false;
  SmallVector<Operation *> combiners;
  Value added = matchReduction(op.getRegionOutputArgs(), 0, combiners);
  auto widening = added ? added.getDefiningOp<arith::ExtFOp>() : arith::ExtFOp();
  return widening && combiners.size() == 1 && isa<arith::AddFOp>(combiners.front()) &&
         widening.getIn() == op.getBody()->getArgument(0);
}
