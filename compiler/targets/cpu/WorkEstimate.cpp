//===- WorkEstimate.cpp - estimates of instruction counts -----------------===//

#include "WorkEstimate.h"

#include "Heddle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;

// The assumed number of iterations of a loop whose bounds or step are not known, or of elements of a copy whose size is
// not known.
static constexpr double unknown = 1000;

/// Returns the maximum number of iterations of a loop with these bounds, or `unknown` if the bounds or the step are not
/// known.
static double countTrips(OpFoldResult lower, OpFoldResult upper, OpFoldResult step) {
  std::optional<int64_t> by = getConstantIntValue(step);
  if (!by || *by <= 0)
    return unknown;
  // A loop whose upper bound is a boolean has at most one iteration. Attention uses such a loop to compute a task again
  // if the result is not finite. Since this rarely happens, count the loop as 0 iterations.
  if (auto value = dyn_cast<Value>(upper))
    if (auto cast = value.getDefiningOp<arith::IndexCastUIOp>(); cast && cast.getIn().getType().isInteger(1))
      return 0;
  Builder builder(upper.getContext());
  AffineExpr d0 = builder.getAffineDimExpr(0), d1 = builder.getAffineDimExpr(1);
  ValueBoundsConstraintSet::Variable extent(AffineMap::get(2, 0, d0 - d1), {upper, lower});
  FailureOr<int64_t> maximum =
      ValueBoundsConstraintSet::computeConstantBound(presburger::BoundType::UB, extent, nullptr, /*closedUB=*/true);
  return failed(maximum) ? unknown : std::max(0.0, double(*maximum) / double(*by));
}

/// Returns the maximum number of iterations of a loop, which may have several dimensions.
static double countTrips(LoopLikeOpInterface loop) {
  double trips = 1;
  auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds(), step = loop.getLoopSteps();
  if (!lower || !upper || !step)
    return unknown;
  for (auto [l, u, s] : llvm::zip(*lower, *upper, *step))
    trips *= countTrips(l, u, s);
  return trips;
}

/// Returns the width of a type in bits; an index is a word of 64 bits.
static double countBits(Type type) { return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64; }

/// Returns the estimated number of instructions of an operation and of the operations inside it.
static double estimateOp(Operation &op, double vectorBits) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    double work = heddle::estimateWork(*linalgOp.getBlock(), vectorBits);
    for (int64_t range : linalgOp.getStaticLoopRanges())
      work *= ShapedType::isDynamic(range) ? unknown : double(range);
    return work;
  }
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    auto type = dyn_cast<MemRefType>(copy.getSource().getType());
    return type && type.hasStaticShape() ? double(type.getNumElements()) : unknown;
  }
  if (auto product = dyn_cast<heddle::TileProductOp>(op)) {
    // Per step, a matrix instruction updates 16 x 16 sums in the time of one ordinary instruction.
    constexpr double sumsOfStep = 256;
    return double(product.getSumsType().getNumElements()) * product.getSteps() / sumsOfStep;
  }
  double work = op.getNumRegions() ? 0 : 1;
  for (Value value : op.getNumResults() ? ValueRange(op.getResults()) : ValueRange(op.getOperands()))
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      work = std::max(work, vector.getNumElements() * countBits(vector.getElementType()) / vectorBits);
  double inside = 0;
  for (Region &region : op.getRegions())
    for (Block &block : region)
      inside += heddle::estimateWork(block, vectorBits);
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    inside *= countTrips(loop);
  return work + inside;
}

double heddle::estimateWork(Block &block, double vectorBits) {
  double work = 0;
  for (Operation &op : block)
    work += estimateOp(op, vectorBits);
  return work;
}
