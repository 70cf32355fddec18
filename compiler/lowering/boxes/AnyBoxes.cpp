//===- AnyBoxes.cpp - tasks and tiles over run-time sizes -----------------===//
//
// The parallel loops of a linalg op over sizes that are known only at run time
// are divided into tasks. A task has one iteration of each of these loops except
// the last loop, and a share of the iterations of the last loop. The task
// computes this share in tiles of several iterations, and then the remaining
// iterations one by one. No iteration is computed twice, so an op may write to
// the buffer that it reads. A reduction over a size that is known only at run
// time adds several iterations to a tile in each step, and then the remaining
// iterations one by one.
//
//===----------------------------------------------------------------------===//

#include "TileTasks.h"

#include "Sizes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Lowers one op. The part of a result that one task computes is called a block here.
class AnyBoxLowering {
public:
  AnyBoxLowering(RewriterBase &b, linalg::LinalgOp op, const Sizes &sizes) : b(b), op(op), loc(op.getLoc()) {
    for (int64_t range : op.getStaticLoopRanges()) {
      extents.push_back(sizes.of(range));
      elements *= extents.back().isFixed() ? range : 1;
    }
    step = std::clamp<int64_t>(4096 / std::max<int64_t>(elements, 1), 1, 16);
  }
  LogicalResult run();

private:
  using Values = SmallVector<Value>;
  bool canRun();
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  SmallVector<Extent> countTasks();
  SmallVector<TaskPart> task(ValueRange ivs, ValueRange outs);
  Values tiles(const TileBox &box, Value from, Value to, int64_t by, Values blocks);
  Values computed(const TileBox &whole, const TileBox &part, Values blocks);
  Value emitTarget(unsigned number, const TileBox &whole, const TileBox &part, Value block);
  Values added(unsigned depth, TileBox whole, TileBox part, Values targets);

  RewriterBase &b;
  linalg::LinalgOp op;
  Location loc;
  SmallVector<Extent> extents; // trip counts of all loops
  // `elements`: the product of the constant trip counts. `step`: the number of iterations of the last loop in `any`
  // that form a tile: at most 16 and, if possible, so small that `step` x `elements` is at most 4096.
  int64_t elements = 1, step;
  static constexpr int64_t summed = 16; // the number of iterations of a reduction that one step adds
  SmallVector<unsigned> any;   // parallel loops over sizes in ranges
  SmallVector<unsigned> sums;  // reduction loops over sizes in ranges
  SmallVector<TileDestination> dests; // the destination of each result
  SmallVector<unsigned> read;  // results that have uses; other results exist only in a tile
  // `count`: the trip count of the last loop in `any`. `shares`: the number of tasks into which this loop is divided.
  Extent count, shares;
  Value first;                 // the first iteration of this task in the last loop in `any`
};
} // namespace

/// Sets `any` and `sums`, and returns whether each output is indexed by all loops in `any`, and by a different loop in
/// each dimension.
bool AnyBoxLowering::canRun() {
  auto iterators = op.getIteratorTypesArray();
  for (auto [loop, extent] : llvm::enumerate(extents))
    if (!extent.isFixed())
      (iterators[loop] == utils::IteratorType::parallel ? any : sums).push_back(loop);
  return llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    return map.isProjectedPermutation() &&
           llvm::all_of(any, [&](unsigned loop) { return map.isFunctionOfDim(loop); });
  });
}

/// Emits the op on one tile, with complete sums, and returns `blocks` with the tile inserted. The tile is at `whole` in
/// the results and at `part` in the blocks.
AnyBoxLowering::Values AnyBoxLowering::computed(const TileBox &whole, const TileBox &part, Values blocks) {
  SmallVector<Value> blockOf(dests.size());
  for (auto [number, block] : llvm::zip_equal(read, blocks))
    blockOf[number] = block;
  Values results;
  if (sums.empty()) {
    SmallVector<TileDestination> targets(dests);
    for (auto [target, block] : llvm::zip_equal(targets, blockOf))
      target.tensor = block;
    results = emitTileOp(b, op, whole, targets, &part)->getResults();
  } else {
    for (auto [number, block] : llvm::enumerate(blockOf))
      results.push_back(emitTarget(number, whole, part, block));
    TileBox inTargets = part;
    for (OpFoldResult &offset : inTargets.offsets)
      offset = b.getIndexAttr(0);
    results = added(0, whole, inTargets, results);
  }
  for (auto [number, block] : llvm::zip_equal(read, blocks)) {
    TileBox place = resultBox(b, op, number, part);
    block = emitInsert(b, loc, results[number], block, place.offsets, place.sizes);
  }
  return blocks;
}

/// Returns the initial value of a tile of result `number`. If the result has a start value, this is a slice of `block`,
/// or a new tile if `block` is null, filled with the start value. Otherwise it is a slice of `block`, or a slice of the
/// op's init if `block` is null.
Value AnyBoxLowering::emitTarget(unsigned number, const TileBox &whole, const TileBox &part, Value block) {
  const TileDestination &dest = dests[number];
  TileBox place = resultBox(b, op, number, block ? part : whole);
  Value from = block ? block : op.getDpsInits()[number];
  Value target = !block && dest.start ? Value(tensor::EmptyOp::create(b, loc, place.sizes, getElementTypeOrSelf(from)))
                                      : emitSlice(b, loc, from, place.offsets, place.sizes);
  return dest.start ? linalg::FillOp::create(b, loc, dest.start, target).getResult(0) : target;
}

/// Emits the loops in `sums` from index `depth` on, which add to `targets`, and returns the sums. The last loop adds
/// `summed` iterations per step, and then the remaining iterations one by one; all other loops have steps of one
/// iteration.
AnyBoxLowering::Values AnyBoxLowering::added(unsigned depth, TileBox whole, TileBox part, Values targets) {
  if (depth == sums.size()) {
    SmallVector<TileDestination> into;
    for (Value target : targets)
      into.push_back({target, Value()});
    return emitTileOp(b, op, whole, into, &part)->getResults();
  }
  unsigned loop = sums[depth];
  Value size = extents[loop].emitValue(b, loc), from = constant(0);
  auto steps = [&](Value to, int64_t by) {
    auto run = [&](OpBuilder &, Location, Value at, ValueRange carried) {
      whole.offsets[loop] = part.offsets[loop] = at;
      whole.sizes[loop] = part.sizes[loop] = by;
      Values next = added(depth + 1, whole, part, Values(carried));
      scf::YieldOp::create(b, loc, next);
    };
    targets = scf::ForOp::create(b, loc, from, to, constant(by), targets, run).getResults();
    from = to;
  };
  if (depth + 1 == sums.size())
    steps(arith::SubIOp::create(b, loc, size, arith::RemUIOp::create(b, loc, size, constant(summed))), summed);
  steps(size, 1);
  return targets;
}

/// Emits a loop over tiles of `by` iterations, from iteration `from` to `to` of the task's share, and inserts the tiles
/// into `blocks`, the task's parts of the results.
AnyBoxLowering::Values AnyBoxLowering::tiles(const TileBox &box, Value from, Value to, int64_t by, Values blocks) {
  auto body = [&](OpBuilder &, Location, Value at, ValueRange carried) {
    TileBox whole = box, part = box; // the tile in the results, and in the task's blocks
    for (unsigned dim : any)
      part.offsets[dim] = b.getIndexAttr(0);
    whole.sizes[any.back()] = part.sizes[any.back()] = by;
    whole.offsets[any.back()] = Value(arith::AddIOp::create(b, loc, first, at));
    part.offsets[any.back()] = at;
    Values next = computed(whole, part, Values(carried));
    scf::YieldOp::create(b, loc, next);
  };
  return scf::ForOp::create(b, loc, from, to, constant(by), blocks, body).getResults();
}

/// Emits the part of each result that one task computes.
SmallVector<TaskPart> AnyBoxLowering::task(ValueRange ivs, ValueRange outs) {
  TileBox box;
  for (const Extent &extent : extents) {
    box.offsets.push_back(b.getIndexAttr(0));
    box.sizes.push_back(extent.isFixed() ? extent.number() : 1);
  }
  RowShare share;
  if (!any.empty()) {
    for (auto [loop, iv] : llvm::zip(ArrayRef(any).drop_back(), ivs))
      box.offsets[loop] = iv;
    share = emitShare(b, loc, count, step, shares, ivs.back());
    first = share.first;
    box.offsets[any.back()] = share.first;
  }
  Values blocks;
  SmallVector<TaskPart> parts;
  for (auto [number, out] : llvm::zip_equal(read, outs)) {
    TileBox place = resultBox(b, op, number, box);
    SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(b.getContext(), place.sizes);
    SmallVector<OpFoldResult> ones(sizes.size(), b.getIndexAttr(1));
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(number));
    for (auto [size, expr] : llvm::zip(sizes, map.getResults()))
      if (!any.empty() && expr == b.getAffineDimExpr(any.back()))
        size = share.count.emit(b, loc);
    blocks.push_back(tensor::ExtractSliceOp::create(b, loc, out, place.offsets, sizes, ones));
    parts.push_back({Value(), place.offsets, sizes});
  }
  if (any.empty()) {
    blocks = computed(box, box, blocks);
  } else {
    Value unit = constant(step), all = share.count.emitValue(b, loc);
    Value whole = arith::MulIOp::create(b, loc, arith::DivUIOp::create(b, loc, all, unit), unit);
    blocks = tiles(box, constant(0), whole, step, blocks);
    if (step > 1)
      blocks = tiles(box, whole, all, 1, blocks);
  }
  for (auto [part, block] : llvm::zip(parts, blocks))
    part.part = block;
  return parts;
}

/// For each loop in `any`, returns the number of tasks along it: one for each iteration, except for the last loop. The
/// last loop is divided into about one task for 16384 iterations of all loops, but into at most 32 tasks, and at most
/// one for each tile. Returns a single 1 if `any` is empty.
SmallVector<Extent> AnyBoxLowering::countTasks() {
  if (any.empty())
    return {1};
  auto counts = llvm::map_to_vector(any, [&](unsigned loop) { return extents[loop].emitOnce(b, loc); });
  count = counts.back();
  AffineExpr n = b.getAffineDimExpr(0), work = n * elements, most = b.getAffineConstantExpr(32);
  SmallVector<OpFoldResult> operands = {count.emit(b, loc)};
  for (auto [i, loop] : llvm::enumerate(sums)) {
    work = work * b.getAffineSymbolExpr(i);
    Value summed = extents[loop].emitValue(b, loc);
    if (extents[loop].low() == 0) // a sum without terms must be written, too, so there must be a task
      summed = arith::MaxUIOp::create(b, loc, summed, constant(1));
    operands.push_back(summed);
  }
  AffineMap least = AffineMap::get(1, sums.size(), {work.ceilDiv(16384), n.ceilDiv(step), most}, b.getContext());
  counts.back() = affine::makeComposedFoldedAffineMin(b, loc, least, operands);
  shares = counts.back();
  return counts;
}

LogicalResult AnyBoxLowering::run() {
  if (!canRun())
    return failure();
  b.setInsertionPoint(op);
  dests = emitDestinations(b, op);
  SmallVector<Extent> counts = countTasks();
  for (OpResult result : op->getResults())
    if (!result.use_empty())
      read.push_back(result.getResultNumber());
  Values outs = llvm::map_to_vector(read, [&](unsigned number) { return dests[number].tensor; });
  ResultRange results =
      emitTaskParts(b, loc, counts, ValueRange(outs),
                    [&](OpBuilder &, ValueRange ivs, ValueRange targets) { return task(ivs, targets); });
  for (auto [number, result] : llvm::zip_equal(read, results))
    b.replaceAllUsesWith(op->getResult(number), result);
  b.eraseOp(op);
  return success();
}

LogicalResult heddle::lowerAnyBox(RewriterBase &rewriter, linalg::LinalgOp op, const Sizes &sizes) {
  return AnyBoxLowering(rewriter, op, sizes).run();
}
