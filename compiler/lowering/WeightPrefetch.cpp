//===- WeightPrefetch.cpp - the next panel of a weight, into the cache ----===//

#include "WeightPrefetch.h"
#include "Emit.h"

#include "Notes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

static constexpr int64_t lineBytes = 64;

WeightPrefetch::WeightPrefetch(OpBuilder &b, Location loc, Value weight, int64_t columns, int64_t parts,
                               PrefetchPace pace)
    : loc(loc), pace(pace), parts(parts) {
  auto type = cast<RankedTensorType>(weight.getType());
  if (type.getRank() != 3 || !pace.ahead)
    return;
  together = columns / type.getDimSize(2);
  panels = type.getDimSize(0) / together * parts;
  k = type.getDimSize(1) / parts;
  lineElements = lineBytes * 8 / int64_t(type.getElementTypeBitWidth());
  slabs = columns / lineElements;
  if (panels > 1 && type.getDimSize(2) % lineElements == 0 &&
      (together == 1 || parts == 1 || type.getDimSize(2) == lineElements))
    stream = emitReshape(b, loc, weight, {type.getNumElements()});
}

Value WeightPrefetch::linesFrom(OpBuilder &b, OpFoldResult element, int64_t count) const {
  return tensor::ExtractSliceOp::create(b, loc, stream, element, OpFoldResult(b.getIndexAttr(count)),
                                        OpFoldResult(b.getIndexAttr(lineElements)));
}

bool WeightPrefetch::bringsStarts(int64_t rows) const {
  constexpr int64_t leastRows = 4; // with fewer the CPU waits for memory anyway
  return together > 1 && slabs == together && parts == 1 && rows >= leastRows;
}

SmallVector<WeightPrefetch::Run> WeightPrefetch::starts(OpBuilder &b, OpFoldResult panel) const {
  constexpr int64_t startLines = 64;
  SmallVector<Run> result;
  int64_t spacing = llvm::PowerOf2Ceil(llvm::divideCeil(k, startLines));
  for (int64_t beside = 0; beside < together; ++beside) {
    OpFoldResult from = emitAffine(b, loc, panel, together * k * lineElements, beside * k * lineElements);
    result.push_back({linesFrom(b, from, llvm::divideCeil(k, spacing)), spacing});
  }
  return result;
}

SmallVector<WeightPrefetch::Run> WeightPrefetch::runs(OpBuilder &b, OpFoldResult number, OpFoldResult row,
                                                      int64_t step, int64_t rows) const {
  bool isFew = rows < pace.rows;
  if (!stream || (isFew && !bringsStarts(rows)))
    return {};
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  AffineExpr next = d0 + pace.ahead, last = b.getAffineConstantExpr(panels - 1);
  OpFoldResult panel =
      affine::makeComposedFoldedAffineMin(b, loc, AffineMap::get(1, 0, {next, last}, b.getContext()), {number});
  if (isFew)
    return starts(b, panel);
  int64_t lines = slabs * k, share = llvm::divideCeil(lines, rows / step);
  // So many at every step, then one every `spacing` steps: a power of two, which makes the division a shift.
  SmallVector<std::pair<int64_t, int64_t>> shares(share / k, {k, 1}); // lines, spacing
  if (int64_t rest = share % k) {
    int64_t spacing = 1;
    while (2 * spacing <= k && int64_t(llvm::divideCeil(k, 2 * spacing)) >= rest)
      spacing *= 2;
    shares.push_back({llvm::divideCeil(k, spacing), spacing});
  }
  share = 0;
  for (auto [count, spacing] : shares)
    share += count;

  // Where a line begins. Parts of panels beside each other lie apart: a share that begins in one may end behind it.
  AffineExpr place = d0 * lines + d1;
  if (together > 1 && parts > 1)
    place = ((d0.floorDiv(parts) * together + d1.floorDiv(k)) * parts + d0 % parts) * k + d1 % k;
  SmallVector<Run> result;
  int64_t before = 0;
  for (auto [count, spacing] : shares) {
    AffineMap map = AffineMap::get(1, 0, d0.floorDiv(step) % llvm::divideCeil(lines, share) * share + before);
    OpFoldResult first = affine::makeComposedFoldedAffineApply(b, loc, map, {row});
    if (lines % share) // the last shares overlap
      first = affine::makeComposedFoldedAffineMin(
          b, loc, AffineMap::get(1, 0, {d0, b.getAffineConstantExpr(lines - count)}, b.getContext()), {first});
    OpFoldResult from =
        affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(2, 0, place * lineElements), {panel, first});
    result.push_back({linesFrom(b, from, count), spacing});
    before += count;
  }
  return result;
}

Value WeightPrefetch::multiply(OpBuilder &b, Value a, Value weights, Value start, OpFoldResult number,
                               OpFoldResult row, int64_t step, int64_t rows) const {
  SmallVector<Run> ahead = runs(b, number, row, step, rows);
  auto type = cast<RankedTensorType>(weights.getType());
  if (ahead.empty() && type.getRank() == 2)
    return linalg::MatmulOp::create(b, loc, start.getType(), ValueRange{a, weights}, start).getResult(0);
  AffineExpr i, j, p;
  bindDims(b.getContext(), i, j, p);
  SmallVector<AffineExpr> place = {p, j};
  if (type.getRank() == 3)
    place = {j.floorDiv(type.getDimSize(2)), p, j % type.getDimSize(2)};
  SmallVector<AffineMap> maps = {AffineMap::get(3, 0, {i, p}, b.getContext()),
                                 AffineMap::get(3, 0, place, b.getContext())};
  SmallVector<Value> inputs = {a, weights};
  for (const Run &run : ahead) {
    maps.push_back(AffineMap::get(3, 0, p.floorDiv(run.spacing)));
    inputs.push_back(run.lines);
  }
  maps.push_back(AffineMap::get(3, 0, {i, j}, b.getContext()));
  SmallVector<utils::IteratorType> iterators = {utils::IteratorType::parallel, utils::IteratorType::parallel,
                                                utils::IteratorType::reduction};
  auto product = linalg::GenericOp::create(
      b, loc, start.getType(), inputs, start, maps, iterators, [](OpBuilder &body, Location where, ValueRange args) {
        Value term = arith::MulFOp::create(body, where, args[0], args[1]);
        linalg::YieldOp::create(body, where, Value(arith::AddFOp::create(body, where, args.back(), term)));
      });
  if (!ahead.empty())
    notes::prefetch.set(product, 4 - pace.cache);
  return product.getResult(0);
}
