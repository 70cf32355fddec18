//===- LowerBoxes.cpp - what threads compute as boxes of vectors ----------===//
//
// Neighbouring threads have neighbouring vectors of a row. Which rows a thread has follows from the shape of the result
// alone, so that what ops do to the same tile one after the other stays with one thread, in registers.
//
//===----------------------------------------------------------------------===//

#include "LowerBoxes.h"
#include "TileTasks.h"
#include "WorkgroupTile.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace heddle;

/// Of a contraction at a time, where its operand is brought to workgroup memory.
static constexpr int64_t stagedDepth = 32;
static constexpr int64_t mostRows = 8;
/// A contraction so long is shared out among threads before it is cut into pieces.
static constexpr int64_t longSum = 256;

namespace {

class BoxLowering {
public:
  BoxLowering(RewriterBase &b, linalg::LinalgOp op, int64_t threads)
      : b(b), op(op), loc(op.getLoc()), threads(threads), ranges(op.getStaticLoopRanges()) {}
  LogicalResult run();

private:
  bool classify();
  bool isLongContraction() { return sum && !foldsLanes && op.getNumDpsInputs() > 1 && ranges[*sum] >= longSum; }
  void chooseBox();
  OpOperand *findStaged();
  Value emitStaged(OpOperand &operand);
  Value emitParts(TypedAttr neutral, Operation *combiner);
  SmallVector<Value> emitBoxes();
  void mapToThreads(Value result, int64_t count);
  int64_t countBoxes();

  RewriterBase &b;
  linalg::LinalgOp op;
  Location loc;
  int64_t threads;
  SmallVector<int64_t> ranges;
  SmallVector<unsigned> order; // parallel loops, as the result's dimensions follow them
  std::optional<unsigned> sum; // the loop that is summed up over
  bool foldsLanes = false;     // along it are the lanes
  SmallVector<int64_t> box;    // sizes of a thread's part
};

} // namespace

/// The loop that an operand's last dimension follows.
static std::optional<unsigned> lastLoop(AffineMap map) {
  if (map.getNumResults() == 0)
    return std::nullopt;
  auto dim = dyn_cast<AffineDimExpr>(map.getResults().back());
  return dim ? std::optional(dim.getPosition()) : std::nullopt;
}

/// Whether a tensor is part of one that the kernel was passed.
static bool isPassed(Value value) {
  while (Operation *made = value.getDefiningOp()) {
    if (!isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(made))
      return false;
    value = made->getOperand(0);
  }
  Operation *parent = cast<BlockArgument>(value).getOwner()->getParentOp();
  if (auto task = dyn_cast<scf::ForallOp>(parent))
    return !task->getParentOfType<scf::ForallOp>();
  return isa<func::FuncOp>(parent);
}

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
  // An operand that is turned is read in squares.
  for (OpOperand *input : op.getDpsInputOperands())
    if (std::optional<unsigned> last = lastLoop(op.getMatchingIndexingMap(input));
        last && !sum && last != order.back() && ranges[*last] % wideLanes != 0)
      return false;
  // Where it would be read across its rows, lanes follow the sum.
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap operand = op.getMatchingIndexingMap(input);
    foldsLanes |= sum && lastLoop(operand) == sum && operand.isFunctionOfDim(order.back());
  }
  return ranges[order.back()] % wideLanes == 0 && (!foldsLanes || ranges[*sum] % wideLanes == 0);
}

/// Rows as many as there are for each thread; of an op that turns its operand squares.
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
  int64_t rows = std::clamp<int64_t>(elements / (wideLanes * threads), 1, mostRows);
  for (OpOperand *input : op.getDpsInputOperands())
    if (lastLoop(op.getMatchingIndexingMap(input)) == row && !sum)
      rows = std::max(rows, wideLanes);
  for (rows = int64_t(llvm::bit_floor(uint64_t(rows))); ranges[row] % rows != 0;)
    rows /= 2;
  box[row] = isLongContraction() && ranges[row] <= mostRows ? ranges[row] : rows; // what a thread reads is for all rows
}

int64_t BoxLowering::countBoxes() {
  int64_t count = 1;
  for (unsigned loop : order)
    count *= ranges[loop] / box[loop];
  return count;
}

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

/// The op's results, by boxes. Threads follow the tile in workgroup memory: where the result is not, its operand.
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

/// The operand of a contraction that was passed to the kernel, has no lanes, and whose rows follow the sum:
/// neighbouring threads would read it far apart.
OpOperand *BoxLowering::findStaged() {
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    auto type = cast<RankedTensorType>(input->get().getType());
    if (sum && op.getNumDpsInputs() > 1 && !isLongContraction() && lastLoop(map) == sum &&
        map.isProjectedPermutation() && !map.isFunctionOfDim(order.back()) && isPassed(input->get()) &&
        type.getElementType().isF32())
      return input;
  }
  return nullptr;
}

/// The contraction a part at a time, of which the operand is brought to workgroup memory. Rows that neighbouring
/// threads read there begin in other banks, a vector further on each.
Value BoxLowering::emitStaged(OpOperand &operand) {
  Value source = operand.get(), sums = op.getDpsInits()[0];
  AffineMap map = op.getMatchingIndexingMap(&operand);
  auto emitPart = [&](OpFoldResult from, int64_t depth, Value carried) {
    TileBox part = {SmallVector<OpFoldResult>(ranges.size(), b.getIndexAttr(0)), ranges};
    part.offsets[*sum] = from;
    part.sizes[*sum] = depth;
    linalg::LinalgOp step = emitTileOp(b, op, part, {{carried, Value()}});
    b.setInsertionPoint(step);
    SmallVector<int64_t> shape;
    for (AffineExpr dim : map.getResults())
      shape.push_back(part.sizes[cast<AffineDimExpr>(dim).getPosition()]);
    int64_t columns = cast<RankedTensorType>(source.getType()).getShape().back();
    int64_t wide = depth % wideLanes == 0 && columns % wideLanes == 0 ? wideLanes : 1;
    Value tile = emitFilledTile(
        b, loc, source, shape, wide,
        [&](ValueRange at) {
          SmallVector<OpFoldResult> place(getAsOpFoldResult(at));
          OpFoldResult column = emitAffine(b, loc, place.back(), wide, 0);
          place.back() = emitSum(b, loc, {from, column});
          return place;
        },
        /*apart=*/wideLanes);
    b.modifyOpInPlace(step, [&] { step->setOperand(operand.getOperandNumber(), tile); });
    BoxLowering lowering(b, step, threads);
    bool fits = lowering.classify();
    assert(fits && "a part is like the whole");
    (void)fits;
    Value result = lowering.emitBoxes()[0];
    b.replaceOp(step, result);
    b.setInsertionPointAfterValue(result);
    return result;
  };
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(b, loc, value); };
  int64_t depth = std::min(stagedDepth, ranges[*sum]), whole = ranges[*sum] / depth, rest = ranges[*sum] % depth;
  if (whole == 1) {
    sums = emitPart(b.getIndexAttr(0), depth, sums);
  } else {
    auto loop = scf::ForOp::create(b, loc, constant(0), constant(whole), constant(1), sums);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value next = emitPart(emitAffine(b, loc, loop.getInductionVar(), depth, 0), depth, loop.getRegionIterArg(0));
    b.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(b, loc, next);
    sums = loop.getResult(0);
  }
  return rest ? emitPart(b.getIndexAttr(whole * depth), rest, sums) : sums;
}

/// Sums of parts by threads that would have none, and then the sums of these; nothing where all have one.
Value BoxLowering::emitParts(TypedAttr neutral, Operation *combiner) {
  int64_t parts = std::min(threads / countBoxes(), ranges[*sum]);
  while (parts > 1 && ranges[*sum] % parts != 0)
    --parts;
  if (parts < 2)
    return Value();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<int64_t> shape(type.getShape()), sizes(1, 1), counts(1, parts);
  shape.insert(shape.begin(), parts);
  for (unsigned loop : order) {
    sizes.push_back(box[loop]);
    counts.push_back(ranges[loop] / box[loop]);
  }
  Value empty = tensor::EmptyOp::create(b, loc, shape, type.getElementType());
  Value partial = emitTaskParts(
      b, loc, getAsIndexOpFoldResult(b.getContext(), counts), empty, [&](OpBuilder &, ValueRange at, Value out) {
        TileBox part = {SmallVector<OpFoldResult>(ranges.size(), b.getIndexAttr(0)), box};
        part.sizes[*sum] = ranges[*sum] / parts;
        part.offsets[*sum] = emitAffine(b, loc, at[0], part.sizes[*sum], 0);
        SmallVector<OpFoldResult> place(1, at[0]);
        for (auto [loop, iv] : llvm::zip(order, at.drop_front()))
          place.push_back(part.offsets[loop] = emitAffine(b, loc, iv, box[loop], 0));
        SmallVector<int64_t> kept(sizes);
        kept.front() = 0;
        linalg::LinalgOp tile = emitTileOp(b, op, part, {{op.getDpsInits()[0], Value()}});
        b.setInsertionPoint(tile);
        Value start = arith::ConstantOp::create(b, loc, neutral);
        Value target = linalg::FillOp::create(b, loc, start, emitSlice(b, loc, out, place, kept)).getResult(0);
        b.modifyOpInPlace(tile, [&] { tile.getDpsInitsMutable()[0].set(target); });
        b.setInsertionPointAfter(tile);
        return TaskPart{tile->getResult(0), place, getAsIndexOpFoldResult(b.getContext(), sizes)};
      });
  mapToThreads(partial, parts * countBoxes());
  AffineMap whole = b.getMultiDimIdentityMap(shape.size());
  SmallVector<utils::IteratorType> iterators(shape.size(), utils::IteratorType::parallel);
  iterators.front() = utils::IteratorType::reduction;
  auto joined = linalg::GenericOp::create(b, loc, type, partial, op.getDpsInits()[0], {whole, whole.dropResult(0)},
                                          iterators, [&](OpBuilder &body, Location, ValueRange arguments) {
                                            Operation *join = body.clone(*combiner);
                                            join->setOperands({arguments[1], arguments[0]});
                                            linalg::YieldOp::create(body, loc, join->getResult(0));
                                          });
  BoxLowering lowering(b, joined, 1); // as many boxes as there are
  bool fits = lowering.classify();
  assert(fits && "a sum of parts is like the sum");
  (void)fits;
  Value result = lowering.emitBoxes()[0];
  b.replaceOp(joined, result);
  return result;
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
