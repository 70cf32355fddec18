//===- AnyBoxes.cpp - linalg ops over sizes that only the call knows ------===//
//
// Loops over such sizes are shared out: one iteration of each but the last, of that one a
// share, in tiles of several iterations and then one by one. None comes twice, so that
// an op may write where it reads.
//
//===----------------------------------------------------------------------===//

#include "TileTasks.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

namespace {
class AnyBoxLowering {
public:
  AnyBoxLowering(RewriterBase &b, linalg::LinalgOp op, const Sizes &sizes)
      : b(b), op(op), loc(op.getLoc()), ranges(op.getStaticLoopRanges()) {
    for (int64_t range : ranges)
      extents.push_back(sizes.of(range));
  }
  LogicalResult run();

private:
  using Values = SmallVector<Value>;
  bool canRun();
  Values task(OpBuilder &b, ValueRange ivs, ValueRange outs, SmallVector<TileBox> &places);
  Values tiles(OpBuilder &b, const TileBox &box, Value from, Value to, int64_t step, Values blocks);

  RewriterBase &b;
  linalg::LinalgOp op;
  Location loc;
  SmallVector<int64_t> ranges;
  SmallVector<Extent> extents; // of the loops
  SmallVector<unsigned> any;   // loops over what lies in a range
  SmallVector<TileDestination> dests;
  Value count, shares; // iterations of the last of these, and in how many tasks
  Value first, shared; // of this task: where its share begins, and how long it is
};
} // namespace

/// Each output is cut along all of these loops.
bool AnyBoxLowering::canRun() {
  for (auto [loop, extent] : llvm::enumerate(extents))
    if (!extent.isFixed())
      any.push_back(loop);
  for (unsigned loop : any)
    if (op.getIteratorTypesArray()[loop] != utils::IteratorType::parallel)
      return false;
  return llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    return map.isProjectedPermutation() &&
           llvm::all_of(any, [&](unsigned loop) { return map.isFunctionOfDim(loop); });
  });
}

/// Tiles of `step` iterations from `from` to `to` of the share, into its blocks of the results.
AnyBoxLowering::Values AnyBoxLowering::tiles(OpBuilder &b, const TileBox &box, Value from, Value to, int64_t step,
                                             Values blocks) {
  Value by = arith::ConstantIndexOp::create(b, loc, step);
  auto loop = scf::ForOp::create(b, loc, from, to, by, blocks, [&](OpBuilder &inner, Location, Value at, ValueRange carried) {
    TileBox whole = box, part = box; // in the results, and in the task's blocks of them
    for (unsigned dim : any)
      part.offsets[dim] = inner.getIndexAttr(0);
    whole.sizes[any.back()] = part.sizes[any.back()] = step;
    whole.offsets[any.back()] = Value(arith::AddIOp::create(inner, loc, first, at));
    part.offsets[any.back()] = at;
    SmallVector<TileDestination> targets(dests);
    for (auto [target, block] : llvm::zip(targets, carried))
      target.tensor = block;
    linalg::LinalgOp tile = emitTileOp(inner, op, whole, targets, &part);
    Values next;
    for (auto [number, block] : llvm::enumerate(carried)) {
      TileBox place = resultBox(inner, op, number, part);
      next.push_back(emitInsert(inner, loc, tile->getResult(number), block, place.offsets, place.sizes));
    }
    scf::YieldOp::create(inner, loc, next);
  });
  return loop.getResults();
}

AnyBoxLowering::Values AnyBoxLowering::task(OpBuilder &b, ValueRange ivs, ValueRange outs, SmallVector<TileBox> &places) {
  // About 16 KiB of floats in a tile.
  int64_t elements = 1;
  for (auto [range, extent] : llvm::zip(ranges, extents))
    elements *= extent.isFixed() ? range : 1;
  int64_t step = std::clamp<int64_t>(4096 / std::max<int64_t>(elements, 1), 1, 16);
  TileBox box;
  for (auto [range, extent] : llvm::zip(ranges, extents)) {
    box.offsets.push_back(b.getIndexAttr(0));
    box.sizes.push_back(extent.isFixed() ? range : 1);
  }
  for (auto [loop, iv] : llvm::zip(ArrayRef(any).drop_back(), ivs))
    box.offsets[loop] = iv;
  RowShare share = emitShare(b, loc, count, step, shares, ivs.back());
  first = share.first;
  shared = share.count;
  box.offsets[any.back()] = share.first;
  Values blocks;
  SmallVector<SmallVector<OpFoldResult>> sizes;
  for (auto [number, out] : llvm::enumerate(outs)) {
    TileBox place = resultBox(b, op, number, box);
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(number));
    sizes.push_back(getAsIndexOpFoldResult(b.getContext(), place.sizes));
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (expr == b.getAffineDimExpr(any.back()))
        sizes.back()[dim] = share.count;
    SmallVector<OpFoldResult> ones(place.sizes.size(), b.getIndexAttr(1));
    blocks.push_back(tensor::ExtractSliceOp::create(b, loc, out, place.offsets, sizes.back(), ones));
    places.push_back(std::move(place));
  }
  Value zero = arith::ConstantIndexOp::create(b, loc, 0), unit = arith::ConstantIndexOp::create(b, loc, step);
  Value whole = arith::MulIOp::create(b, loc, arith::DivUIOp::create(b, loc, share.count, unit), unit);
  blocks = tiles(b, box, zero, whole, step, blocks);
  if (step > 1)
    blocks = tiles(b, box, whole, share.count, 1, blocks);
  return blocks;
}

LogicalResult AnyBoxLowering::run() {
  if (!canRun())
    return failure();
  b.setInsertionPoint(op);
  dests = emitDestinations(b, op);
  SmallVector<OpFoldResult> counts;
  for (unsigned loop : ArrayRef(any).drop_back())
    counts.push_back(extents[loop].emit(b, loc));
  OpFoldResult last = extents[any.back()].emit(b, loc);
  count = cast<Value>(last);
  int64_t elements = 1;
  for (auto [range, extent] : llvm::zip(ranges, extents))
    elements *= extent.isFixed() ? range : 1;
  // About 16K elements are worth a task.
  AffineExpr n = b.getAffineDimExpr(0);
  AffineMap most = AffineMap::get(1, 0, {(n * elements).ceilDiv(16384), b.getAffineConstantExpr(32)}, b.getContext());
  OpFoldResult tasks = affine::makeComposedFoldedAffineMin(b, loc, most, {last});
  shares = getValueOrCreateConstantIndexOp(b, loc, tasks);
  counts.push_back(tasks);

  SmallVector<OpFoldResult> from(counts.size(), b.getIndexAttr(0)), step(counts.size(), b.getIndexAttr(1));
  Values outs = llvm::map_to_vector(dests, [](const TileDestination &dest) { return dest.tensor; });
  auto forall = scf::ForallOp::create(b, loc, from, counts, step, outs, std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(forall.getTerminator());
  SmallVector<TileBox> places;
  Values blocks = task(b, forall.getInductionVars(), forall.getRegionOutArgs(), places);
  b.setInsertionPointToEnd(forall.getTerminator().getBody());
  for (auto [block, out, place] : llvm::zip(blocks, forall.getRegionOutArgs(), places)) {
    auto slice = block.getType();
    SmallVector<OpFoldResult> sizes, ones(place.sizes.size(), b.getIndexAttr(1));
    for (auto [dim, extent] : llvm::enumerate(cast<RankedTensorType>(slice).getShape()))
      sizes.push_back(b.getIndexAttr(extent));
    for (OpFoldResult &size : sizes)
      if (*getConstantIntValue(size) == ShapedType::kDynamic)
        size = shared;
    tensor::ParallelInsertSliceOp::create(b, loc, block, out, place.offsets, sizes, ones);
  }
  b.setInsertionPoint(op);
  b.replaceOp(op, forall.getResults());
  return success();
}

LogicalResult heddle::lowerAnyBox(RewriterBase &rewriter, linalg::LinalgOp op, const Sizes &sizes) {
  return AnyBoxLowering(rewriter, op, sizes).run();
}
