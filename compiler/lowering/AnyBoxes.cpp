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
    for (int64_t range : ranges) {
      extents.push_back(sizes.of(range));
      elements *= extents.back().isFixed() ? range : 1;
    }
    step = std::clamp<int64_t>(4096 / std::max<int64_t>(elements, 1), 1, 16);
  }
  LogicalResult run();

private:
  using Values = SmallVector<Value>;
  bool canRun();
  SmallVector<TaskPart> task(ValueRange ivs, ValueRange outs);
  Values tiles(const TileBox &box, Value from, Value to, int64_t by, Values blocks);

  RewriterBase &b;
  linalg::LinalgOp op;
  Location loc;
  SmallVector<int64_t> ranges;
  SmallVector<Extent> extents; // of the loops
  int64_t elements = 1, step;  // of the loops that are fixed; iterations in a tile: about 16 KiB of floats
  SmallVector<unsigned> any;   // loops over what lies in a range
  SmallVector<TileDestination> dests;
  Value count, shares; // iterations of the last of these, and in how many tasks
  Value first;         // of this task
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

/// Tiles of `by` iterations from `from` to `to` of the share, into its blocks of the results.
AnyBoxLowering::Values AnyBoxLowering::tiles(const TileBox &box, Value from, Value to, int64_t by, Values blocks) {
  auto body = [&](OpBuilder &inner, Location, Value at, ValueRange carried) {
    TileBox whole = box, part = box; // in the results, and in the task's blocks of them
    for (unsigned dim : any)
      part.offsets[dim] = inner.getIndexAttr(0);
    whole.sizes[any.back()] = part.sizes[any.back()] = by;
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
  };
  return scf::ForOp::create(b, loc, from, to, arith::ConstantIndexOp::create(b, loc, by), blocks, body).getResults();
}

/// What one task computes of each result.
SmallVector<TaskPart> AnyBoxLowering::task(ValueRange ivs, ValueRange outs) {
  TileBox box;
  for (auto [range, extent] : llvm::zip(ranges, extents)) {
    box.offsets.push_back(b.getIndexAttr(0));
    box.sizes.push_back(extent.isFixed() ? range : 1);
  }
  for (auto [loop, iv] : llvm::zip(ArrayRef(any).drop_back(), ivs))
    box.offsets[loop] = iv;
  RowShare share = emitShare(b, loc, count, step, shares, ivs.back());
  first = share.first;
  box.offsets[any.back()] = share.first;
  Values blocks;
  SmallVector<TaskPart> parts;
  for (auto [number, out] : llvm::enumerate(outs)) {
    TileBox place = resultBox(b, op, number, box);
    SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(b.getContext(), place.sizes);
    SmallVector<OpFoldResult> ones(sizes.size(), b.getIndexAttr(1));
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(number));
    for (auto [size, expr] : llvm::zip(sizes, map.getResults()))
      if (expr == b.getAffineDimExpr(any.back()))
        size = share.count;
    blocks.push_back(tensor::ExtractSliceOp::create(b, loc, out, place.offsets, sizes, ones));
    parts.push_back({Value(), place.offsets, sizes});
  }
  Value zero = arith::ConstantIndexOp::create(b, loc, 0), unit = arith::ConstantIndexOp::create(b, loc, step);
  Value whole = arith::MulIOp::create(b, loc, arith::DivUIOp::create(b, loc, share.count, unit), unit);
  blocks = tiles(box, zero, whole, step, blocks);
  if (step > 1)
    blocks = tiles(box, whole, share.count, 1, blocks);
  for (auto [part, block] : llvm::zip(parts, blocks))
    part.part = block;
  return parts;
}

LogicalResult AnyBoxLowering::run() {
  if (!canRun())
    return failure();
  b.setInsertionPoint(op);
  dests = emitDestinations(b, op);
  SmallVector<OpFoldResult> counts;
  for (unsigned loop : any)
    counts.push_back(extents[loop].emit(b, loc));
  count = cast<Value>(counts.back());
  // About 16K elements are worth a task.
  AffineExpr n = b.getAffineDimExpr(0), worth = (n * elements).ceilDiv(16384), most = b.getAffineConstantExpr(32);
  counts.back() = affine::makeComposedFoldedAffineMin(
      b, loc, AffineMap::get(1, 0, {worth, n.ceilDiv(step), most}, b.getContext()), {count});
  shares = getValueOrCreateConstantIndexOp(b, loc, counts.back());

  Values outs = llvm::map_to_vector(dests, [](const TileDestination &dest) { return dest.tensor; });
  b.replaceOp(op, emitTaskParts(b, loc, counts, ValueRange(outs), [&](OpBuilder &, ValueRange ivs, ValueRange targets) {
                return task(ivs, targets);
              }));
  return success();
}

LogicalResult heddle::lowerAnyBox(RewriterBase &rewriter, linalg::LinalgOp op, const Sizes &sizes) {
  return AnyBoxLowering(rewriter, op, sizes).run();
}
