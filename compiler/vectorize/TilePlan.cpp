//===- TilePlan.cpp - assigns the loops of a tile -------------------------===//

#include "TileShape.h"
#include "TileVectorizer.h"

using namespace mlir;
using namespace heddle;

/// Returns the loop that indexes an operand's innermost dimension, or -1.
static int innermostLoop(AffineMap map) {
  if (map.getNumResults() == 0)
    return -1;
  auto dim = dyn_cast<AffineDimExpr>(map.getResults().back());
  return dim ? dim.getPosition() : -1;
}

/// Returns whether exactly one dimension of the operand depends on the loop, and is indexed by the loop alone.
static bool indexesOneDim(AffineMap map, unsigned loop) {
  AffineExpr dim = getAffineDimExpr(loop, map.getContext());
  return llvm::count(map.getResults(), dim) == 1 &&
         llvm::count_if(map.getResults(), [&](AffineExpr expr) { return expr.isFunctionOfDim(loop); }) == 1;
}

/// Chooses the loop along the lanes. This is the loop of the result's innermost dimension, with one exception: if the
/// elements of an operand are adjacent along a reduction loop, and the operand also depends on the loop of the
/// innermost dimension or there is no such loop, the lanes lie along the reduction loop. The exception applies only if
/// every output that is reduced has a combiner (combinerOf), with which the lanes are joined after the loop.
void TileVectorizer::chooseLane(TilePlan &plan) {
  OpOperand *init = op.getDpsInitOperand(0);
  int candidate = innermostLoop(op.getMatchingIndexingMap(init));
  if (candidate >= 0 && plan.reduction[candidate])
    candidate = -1;
  int reduced = -1;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    int inner = innermostLoop(map);
    if (inner >= 0 && plan.reduction[inner] && (candidate < 0 || map.isFunctionOfDim(candidate)))
      reduced = inner;
  }
  plan.lane = candidate;
  if (reduced < 0)
    return;
  for (unsigned output = 0; output < op.getNumDpsInits(); ++output) {
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(output));
    if (!map.isFunctionOfDim(reduced) && !combinerOf(op, output))
      return;
  }
  plan.lane = reduced;
  plan.laneReduced = true;
}

/// Chooses the size of register tiles, and the loops outside and inside of them.
void TileVectorizer::chooseBlocks(TilePlan &plan) {
  SmallVector<unsigned> parallel;
  int64_t rows = 1;
  bool reduces = llvm::is_contained(plan.reduction, true);
  for (unsigned d = 0; d < plan.extents.size(); ++d) {
    if (static_cast<int>(d) == plan.lane)
      continue;
    if (plan.reduction[d]) {
      plan.reduced.push_back(d);
      continue;
    }
    parallel.push_back(d);
    rows *= plan.extents[d].number();
  }
  int64_t along = plan.lane < 0 || plan.laneReduced ? 1 : plan.extents[plan.lane].steps(lanes);

  // If an operand is transposed, the register tile is a square of lanes x lanes elements.
  if (plan.transposed >= 0) {
    plan.block = std::min(lanes, plan.extents[plan.blocked].number());
    llvm::erase(parallel, plan.blocked);
    plan.outer = parallel;
    return;
  }

  // A long body keeps the CPU's units busy with few vectors at a time. More copies of the body would only cost compile
  // time.
  int64_t length = op.getBlock()->getOperations().size() - 1;
  if (!reduces && length > 64) {
    plan.vectors = std::min<int64_t>(along, 3);
    plan.outer = parallel;
    return;
  }

  TileUse use = plan.laneReduced ? TileUse::Fold : reduces ? TileUse::Accumulate : TileUse::Map;
  TileShape tile = chooseTile(rows, along, use, options);
  plan.vectors = tile.vectors;
  if (tile.rows == rows) {
    plan.unrolled = parallel;
    return;
  }
  plan.blocked = parallel.pop_back_val();
  plan.block = std::min(tile.rows, plan.extents[plan.blocked].number());
  plan.outer = parallel;
}

/// Plans how an operand whose innermost dimension is not along the lanes is read: in square tiles, which are
/// transposed.
void TileVectorizer::chooseSquareTiles(TilePlan &plan) {
  if (!op.isAllParallelLoops() || plan.lane < 0 || lanes < 4 || !llvm::isPowerOf2_64(lanes))
    return;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    int inner = innermostLoop(map);
    if (inner >= 0 && inner != plan.lane && indexesOneDim(map, plan.lane) && indexesOneDim(map, inner)) {
      plan.transposed = input->getOperandNumber();
      plan.blocked = inner;
      return;
    }
  }
}

/// Plans the loops and register tiles of the op, whose loops have these extents.
TilePlan TileVectorizer::makePlan(ArrayRef<Extent> extents) {
  TilePlan plan;
  plan.extents.assign(extents.begin(), extents.end());
  for (utils::IteratorType type : op.getIteratorTypesArray())
    plan.reduction.push_back(type == utils::IteratorType::reduction);
  if (plan.extents.empty())
    return plan;
  chooseLane(plan);

  // Results of horizontal sums are scalars in registers, so ops on few of them are evaluated on scalars, too.
  bool scalars = op.isAllParallelLoops(), any = false;
  int64_t elements = 1;
  for (const Extent &extent : extents)
    elements *= extent.number();
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!isa<ShapedType>(input->get().getType()))
      continue;
    const RegisterTile *tile = registers.find(input->get());
    scalars &= tile && tile->scalar;
    any = true;
  }
  if (scalars && any && elements <= lanes)
    plan.lane = -1;
  chooseSquareTiles(plan);
  chooseBlocks(plan);
  return plan;
}
