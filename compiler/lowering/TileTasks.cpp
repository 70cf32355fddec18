//===- TileTasks.cpp - linalg ops cut into tasks and tiles ----------------===//

#include "TileTasks.h"

#include "ops/TensorViews.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;
using namespace heddle;

/// Returns the common value of all elements of `tensor` if the tensor is a splat constant or filled with a scalar,
/// possibly reshaped; otherwise returns null.
static Value emitFillValue(OpBuilder &b, Value tensor) {
  Operation *source = tensor.getDefiningOp();
  while (isReshape(source))
    source = source->getOperand(0).getDefiningOp();
  DenseElementsAttr constant;
  if (source && matchPattern(source->getResult(0), m_Constant(&constant)) && constant.isSplat())
    return arith::ConstantOp::create(b, tensor.getLoc(), constant.getSplatValue<TypedAttr>());
  // The tensor may be filled by a linalg.fill, or by a linalg.generic that only yields a scalar.
  auto fill = dyn_cast_or_null<linalg::LinalgOp>(source);
  if (!fill || fill.getNumDpsInits() != 1 || fill.getBlock()->getOperations().size() != 1)
    return {};
  Value yielded = fill.getBlock()->getTerminator()->getOperand(0);
  if (fill.getNumDpsInputs() == 1 && !isa<ShapedType>(fill.getDpsInputs()[0].getType()))
    return fill.getDpsInputs()[0];
  return fill.getNumDpsInputs() == 0 && yielded.getParentBlock() != fill.getBlock() ? yielded : Value();
}

SmallVector<TileDestination> heddle::emitDestinations(RewriterBase &rewriter, linalg::LinalgOp op) {
  SmallVector<TileDestination> dests;
  for (auto [number, init] : llvm::enumerate(op.getDpsInits())) {
    // If all elements of the init are equal, each tile is filled separately, so that the whole init need not exist.
    TileDestination dest{init, emitFillValue(rewriter, init)};
    Operation *source = init.getDefiningOp();
    while (isReshape(source))
      source = source->getOperand(0).getDefiningOp();
    if (dest.start || isa_and_nonnull<tensor::EmptyOp>(source))
      dest.tensor =
          emitDestination(rewriter, op->getResult(number), cast<RankedTensorType>(op->getResult(number).getType()));
    dests.push_back(dest);
  }
  return dests;
}

/// Returns the sizes of the box as attributes.
static SmallVector<OpFoldResult> sizesOf(OpBuilder &b, const TileBox &box) {
  return llvm::map_to_vector(box.sizes, [&](int64_t size) -> OpFoldResult { return b.getIndexAttr(size); });
}

TileBox heddle::resultBox(OpBuilder &b, linalg::LinalgOp op, unsigned number, const TileBox &box) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(number));
  TileBox result;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    result.offsets.push_back(dim ? box.offsets[dim.getPosition()] : OpFoldResult(b.getIndexAttr(0)));
    result.sizes.push_back(dim ? box.sizes[dim.getPosition()] : 1);
  }
  return result;
}

linalg::LinalgOp heddle::emitTileOp(OpBuilder &b, linalg::LinalgOp op, const TileBox &box,
                                    ArrayRef<TileDestination> targets, const TileBox *inTargets) {
  auto tiling = cast<TilingInterface>(op.getOperation());
  FailureOr<TilingResult> tiled = tiling.getTiledImplementation(b, box.offsets, sizesOf(b, box));
  auto tile = cast<linalg::LinalgOp>(tiled->tiledOps.front());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(tile);
  for (auto [number, target] : llvm::enumerate(targets)) {
    TileBox place = resultBox(b, op, number, inTargets ? *inTargets : box);
    Value slice = tile.getDpsInits()[number];
    if (target.tensor)
      slice = emitSlice(b, op.getLoc(), target.tensor, place.offsets, place.sizes);
    else if (target.start)
      slice = tensor::EmptyOp::create(b, op.getLoc(), place.sizes, getElementTypeOrSelf(slice));
    if (target.start)
      slice = linalg::FillOp::create(b, op.getLoc(), target.start, slice).getResult(0);
    tile.getDpsInitsMutable()[number].set(slice);
  }
  return tile;
}

void heddle::emitBoxTasks(
    OpBuilder &b, linalg::LinalgOp op, const TileBox &first, ArrayRef<unsigned> loops, ArrayRef<int64_t> counts,
    MutableArrayRef<TileDestination> dests,
    function_ref<SmallVector<Value>(OpBuilder &, const TileBox &, ArrayRef<TileDestination>)> body) {
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> from(counts.size(), b.getIndexAttr(0)), step(counts.size(), b.getIndexAttr(1)), to;
  for (int64_t count : counts)
    to.push_back(b.getIndexAttr(count));
  SmallVector<Value> outs = llvm::map_to_vector(dests, [](const TileDestination &d) { return d.tensor; });
  auto forall = scf::ForallOp::create(b, loc, from, to, step, outs, std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(forall.getTerminator());
  TileBox box = first;
  for (auto [loop, iv] : llvm::zip(loops, forall.getInductionVars())) {
    AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
    box.offsets[loop] = affine::makeComposedFoldedAffineApply(
        b, loc, AffineMap::get(2, 0, d0 * box.sizes[loop] + d1), {OpFoldResult(iv), first.offsets[loop]});
  }
  SmallVector<TileDestination> targets(dests);
  for (auto [target, out] : llvm::zip(targets, forall.getRegionOutArgs()))
    target.tensor = out;
  SmallVector<Value> tiles = body(b, box, targets);
  b.setInsertionPoint(forall.getTerminator());
  SmallVector<TileBox> places;
  for (unsigned number = 0; number < tiles.size(); ++number)
    places.push_back(resultBox(b, op, number, box));
  b.setInsertionPointToEnd(forall.getTerminator().getBody());
  for (auto [number, tile] : llvm::enumerate(tiles)) {
    SmallVector<OpFoldResult> ones(places[number].sizes.size(), b.getIndexAttr(1));
    tensor::ParallelInsertSliceOp::create(b, loc, tile, targets[number].tensor, places[number].offsets,
                                          sizesOf(b, places[number]), ones);
    dests[number].tensor = forall.getResult(number);
  }
}

void heddle::lowerGeneralOp(RewriterBase &rewriter, linalg::LinalgOp op) {
  rewriter.setInsertionPoint(op);
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  int64_t work = 1;
  for (int64_t size : sizes)
    work *= size;
  // A task should have about 16K elements. The number of tasks depends on the shape only, not on the number of threads.
  int64_t wanted = std::clamp<int64_t>(work / 16384, 1, 32);
  SmallVector<TileDestination> dests = emitDestinations(rewriter, op);
  TileBox box;
  for (int64_t size : sizes) {
    box.offsets.push_back(rewriter.getIndexAttr(0));
    box.sizes.push_back(size);
  }
  SmallVector<unsigned> loops;
  SmallVector<int64_t> counts;
  // The result of a task is a slice only if the dimensions of each output are indexed by different loops.
  bool whole = true;
  for (auto [output, init] : llvm::enumerate(op.getDpsInits()))
    whole &= op.getMatchingIndexingMap(op.getDpsInitOperand(output)).isProjectedPermutation();
  // The loop that is not divided evenly, and the first index of its remainder.
  std::optional<std::pair<unsigned, int64_t>> remainder;
  for (unsigned loop = 0; loop < sizes.size() && wanted > 1 && whole; ++loop) {
    if (iterators[loop] != utils::IteratorType::parallel || sizes[loop] == 1)
      continue;
    // If a loop that an output does not depend on were divided, several tasks would write the same elements.
    bool reaches = llvm::all_of(llvm::seq<unsigned>(0, dests.size()), [&](unsigned output) {
      return op.getMatchingIndexingMap(op.getDpsInitOperand(output)).isFunctionOfDim(loop);
    });
    if (!reaches)
      continue;
    // Blocks along the innermost loop have a multiple of 64 elements, so that they consist of whole vectors.
    int64_t unit = loop + 1 == sizes.size() ? 64 : 1;
    RowBlocks blocks = cutRows(sizes[loop], std::min(unit, sizes[loop]), wanted);
    if (blocks.rest && (blocks.blocks < 2 || remainder))
      continue;
    if (blocks.rest)
      remainder = {loop, blocks.blocks * blocks.size};
    loops.push_back(loop);
    counts.push_back(blocks.blocks);
    box.sizes[loop] = blocks.size;
    wanted /= blocks.blocks;
    if (remainder)
      break;
  }
  auto body = [&](OpBuilder &b, const TileBox &tile, ArrayRef<TileDestination> targets) {
    return SmallVector<Value>(emitTileOp(b, op, tile, targets)->getResults());
  };
  if (loops.empty()) {
    for (unsigned number = 0; number < dests.size(); ++number) {
      const TileDestination &dest = dests[number];
      Value init = dest.tensor;
      if (dest.start)
        init = linalg::FillOp::create(rewriter, op.getLoc(), dest.start, init).getResult(0);
      rewriter.modifyOpInPlace(op, [&] { op.getDpsInitsMutable()[number].set(init); });
    }
    return;
  }
  emitBoxTasks(rewriter, op, box, loops, counts, dests, body);
  if (remainder) {
    unsigned last = loops.back();
    box.offsets[last] = rewriter.getIndexAttr(remainder->second);
    box.sizes[last] = sizes[last] - remainder->second;
    counts.back() = 1;
    emitBoxTasks(rewriter, op, box, loops, counts, dests, body);
  }
  rewriter.replaceOp(op, llvm::map_to_vector(dests, [](const TileDestination &d) { return d.tensor; }));
}
