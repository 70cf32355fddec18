//===- LowerBoxes.cpp - ops as thread tiles of vectors --------------------===//
//
// Adjacent threads compute adjacent vectors of a row. Usually, which rows a
// thread computes depends only on the shape of the result. If several ops
// process the same tile in turn, each thread therefore keeps its elements in
// registers.
//
//===----------------------------------------------------------------------===//

#include "LowerBoxes.h"

#include "BoxLowering.h"
#include "TileTasks.h"
#include "WorkgroupTile.h"

#include "ops/TensorViews.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace heddle;

/// The maximum number of rows of a thread tile.
static constexpr int64_t maxRows = 8;

std::optional<unsigned> heddle::lastLoop(AffineMap map) {
  if (map.getNumResults() == 0)
    return std::nullopt;
  auto dim = dyn_cast<AffineDimExpr>(map.getResults().back());
  return dim ? std::optional(dim.getPosition()) : std::nullopt;
}

bool heddle::isPassed(Value value) {
  value = findViewedTensor(value);
  if (value.getDefiningOp())
    return false;
  Operation *parent = cast<BlockArgument>(value).getOwner()->getParentOp();
  if (auto task = dyn_cast<scf::ForallOp>(parent))
    return !task->getParentOfType<scf::ForallOp>();
  return isa<func::FuncOp>(parent);
}

/// Sets the members `order`, `sum` and `foldsLanes`. Returns whether the op can be lowered to thread tiles.
bool BoxLowering::classify() {
  if (op->getNumResults() == 0 || op.hasDynamicShape())
    return false;
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (OpOperand &init : op.getDpsInitsMutable())
    if (op.getMatchingIndexingMap(&init) != map || getElementTypeOrSelf(init.get()).getIntOrFloatBitWidth() != 32)
      return false;
  if (!map.isProjectedPermutation() || map.getNumResults() == 0)
    return false;
  for (AffineExpr result : map.getResults())
    order.push_back(cast<AffineDimExpr>(result).getPosition());
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    if (kind == utils::IteratorType::parallel) {
      if (!llvm::is_contained(order, loop))
        return false;
    } else if (sum || op->getNumResults() != 1) {
      return false;
    } else {
      sum = loop;
    }
  }
  // A transposed operand is read in square tiles, which must divide its last dimension.
  for (OpOperand *input : op.getDpsInputOperands())
    if (std::optional<unsigned> last = lastLoop(op.getMatchingIndexingMap(input));
        last && !sum && last != order.back() && ranges[*last] % wideLanes != 0)
      return false;
  // If the elements of a row of an operand are terms of one sum, vectors along the result would read one element of
  // each row. The lanes then lie along the sum instead.
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap operand = op.getMatchingIndexingMap(input);
    foldsLanes |= sum && lastLoop(operand) == sum && operand.isFunctionOfDim(order.back());
  }
  return ranges[order.back()] % wideLanes == 0 && (!foldsLanes || ranges[*sum] % wideLanes == 0);
}

/// Chooses the sizes of a thread's tile: few enough rows that all threads have work, but at least four rows if an
/// operand is transposed, since a transposed operand is read in square tiles.
void BoxLowering::chooseBox() {
  box.assign(ranges.size(), 1);
  unsigned lane = order.back();
  box[lane] = wideLanes;
  if (sum)
    box[*sum] = ranges[*sum];
  if (order.size() < 2)
    return;
  unsigned row = order[order.size() - 2];
  int64_t elements = 1;
  for (unsigned loop : order)
    elements *= ranges[loop];
  int64_t rows = std::clamp<int64_t>(elements / (wideLanes * threads), 1, maxRows);
  for (OpOperand *input : op.getDpsInputOperands())
    if (lastLoop(op.getMatchingIndexingMap(input)) == row && !sum)
      rows = std::max(rows, wideLanes);
  for (rows = int64_t(llvm::bit_floor(uint64_t(rows))); ranges[row] % rows != 0;)
    rows /= 2;
  // In a long contraction, a thread uses each element of the second operand for all rows of its tile, so a tile should
  // have all rows if there are few.
  box[row] = isLongContraction() && ranges[row] <= maxRows ? ranges[row] : rows;
}

/// Returns the number of thread tiles.
int64_t BoxLowering::countBoxes() {
  int64_t count = 1;
  for (unsigned loop : order)
    count *= ranges[loop] / box[loop];
  return count;
}

/// Maps the iterations of the scf.forall that computes `result` to threads, if there are at most as many iterations
/// (`count`) as threads.
void BoxLowering::mapToThreads(Value result, int64_t count) {
  auto forall = result.getDefiningOp<scf::ForallOp>();
  if (count > threads)
    return;
  SmallVector<Attribute> ids;
  for (int64_t i = forall.getRank(); i > 0; --i)
    ids.push_back(gpu::GPUThreadMappingAttr::get(
        b.getContext(), *gpu::symbolizeMappingId(uint64_t(gpu::MappingId::LinearDim0) + (i - 1))));
  forall.setMappingAttr(b.getArrayAttr(ids));
}

/// Emits the op in thread tiles. In general, adjacent threads compute adjacent tiles of the result. There is one
/// exception: if the op has no reduction, writes its result to memory outside of the workgroup and reads its last
/// input, which has one element for each element of the result, from workgroup memory, adjacent threads read adjacent
/// tiles of this input.
SmallVector<Value> BoxLowering::emitBoxes() {
  chooseBox();
  SmallVector<unsigned> loops(order);
  if (!sum && isPassed(op.getDpsInits()[0]) && op.getNumDpsInputs() > 0) {
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInputOperand(op.getNumDpsInputs() - 1));
    if (map.isPermutation() && !isPassed(op.getDpsInputOperand(op.getNumDpsInputs() - 1)->get()))
      loops = llvm::map_to_vector(map.getResults(),
                                  [](AffineExpr expr) { return cast<AffineDimExpr>(expr).getPosition(); });
  }
  SmallVector<int64_t> counts = llvm::map_to_vector(loops, [&](unsigned loop) { return ranges[loop] / box[loop]; });
  SmallVector<TileDestination> dests;
  for (Value init : op.getDpsInits())
    dests.push_back({init, Value()});
  TileBox first = {SmallVector<OpFoldResult>(ranges.size(), b.getIndexAttr(0)), box};
  emitBoxTasks(b, op, first, loops, counts, dests,
               [&](OpBuilder &, const TileBox &tile, ArrayRef<TileDestination> targets) {
                 return SmallVector<Value>(emitTileOp(b, op, tile, targets)->getResults());
               });
  mapToThreads(dests[0].tensor, countBoxes());
  return llvm::map_to_vector(dests, [](const TileDestination &dest) { return dest.tensor; });
}

LogicalResult BoxLowering::run() {
  if (!classify())
    return failure();
  b.setInsertionPoint(op);
  if (OpOperand *staged = findStaged()) {
    b.replaceOp(op, emitStaged(*staged));
    return success();
  }
  chooseBox();
  SmallVector<Operation *> combiners;
  if (sum && !foldsLanes && matchReduction(op.getRegionOutputArgs(), 0, combiners) && combiners.size() == 1)
    if (std::optional<TypedAttr> neutral = arith::getNeutralElement(combiners[0]))
      if (Value result = emitParts(*neutral, combiners[0])) {
        b.replaceOp(op, result);
        return success();
      }
  b.replaceOp(op, emitBoxes());
  return success();
}

LogicalResult heddle::lowerBoxes(RewriterBase &rewriter, linalg::LinalgOp op, int64_t threads) {
  return BoxLowering(rewriter, op, threads).run();
}
