//===- WeightPrefetch.cpp - prefetches of weight panels -------------------===//

#include "WeightPrefetch.h"
#include "Emit.h"

#include "Heddle.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

/// The size of a cache line in bytes.
static constexpr int64_t lineBytes = 64;

WeightPrefetch::WeightPrefetch(OpBuilder &b, Location loc, Value weight, int64_t columns, int64_t parts,
                               PrefetchPace pace)
    : loc(loc), pace(pace) {
  weight = storedValue(weight);
  auto type = cast<RankedTensorType>(weight.getType());
  if (type.getRank() < 3 || !pace.distance)
    return;
  int64_t width = type.getShape().back();
  interleaved = columns / width;
  k = type.getShape().take_back(2).front() / parts;
  panels = ShapedType::getNumElements(type.getShape().drop_back(2)) / interleaved * parts;
  lineElements = lineBytes * 8 / int64_t(type.getElementTypeBitWidth());
  lines = columns * k / lineElements;
  if (panels > 1 && width * k % lineElements == 0)
    stream = emitReshape(b, loc, weight, {type.getNumElements()});
}

SmallVector<WeightPrefetch::Run> WeightPrefetch::runs(OpBuilder &b, OpFoldResult number, OpFoldResult row,
                                                      int64_t step, int64_t rows) const {
  if (!stream || !rows)
    return {};
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  AffineExpr next = d0 + pace.distance, last = b.getAffineConstantExpr(panels - 1);
  OpFoldResult panel =
      affine::makeComposedFoldedAffineMin(b, loc, AffineMap::get(1, 0, {next, last}, b.getContext()), {number});
  int64_t share = llvm::divideCeil(lines, rows / step);
  // A tile prefetches `share` lines in k iterations: share / k lines in each iteration, and one more line in every
  // `spacing` iterations. `spacing` is a power of two, which makes the division a shift.
  SmallVector<std::pair<int64_t, int64_t>> shares(share / k, {k, 1}); // lines, spacing
  if (int64_t rest = share % k) {
    int64_t spacing = 1;
    while (2 * spacing <= k && int64_t(llvm::divideCeil(k, 2 * spacing)) >= rest)
      spacing *= 2;
    shares.push_back({llvm::divideCeil(k, spacing), spacing});
  }
  int64_t whole = share / k * k;
  share = 0;
  for (auto [count, spacing] : shares)
    share += count;
  int64_t sharers = llvm::divideCeil(lines, share);

  // Interleaved panels are not adjacent in memory, and a run must stay within one panel. Therefore the runs with a line
  // in each iteration, of all tiles, come first; the runs with fewer lines come after all of these.
  AffineExpr place = d0 * lines + d1;
  if (interleaved > 1) {
    int64_t each = lines / interleaved;
    place = (d1.floorDiv(each) * panels + d0) * each + d1 % each;
  }
  SmallVector<Run> result;
  int64_t before = 0;
  for (auto [count, spacing] : shares) {
    AffineExpr sharer = d0.floorDiv(step) % sharers, begin = sharer * share + before;
    if (interleaved > 1)
      begin = before < whole ? sharer * whole + before : sharer * count + sharers * whole;
    OpFoldResult first = affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(1, 0, begin), {row});
    if (lines % share) // the last shares overlap
      first = affine::makeComposedFoldedAffineMin(
          b, loc, AffineMap::get(1, 0, {d0, b.getAffineConstantExpr(lines - count)}, b.getContext()), {first});
    OpFoldResult from =
        affine::makeComposedFoldedAffineApply(b, loc, AffineMap::get(2, 0, place * lineElements), {panel, first});
    Value run = tensor::ExtractSliceOp::create(b, loc, stream, from, OpFoldResult(b.getIndexAttr(count)),
                                               OpFoldResult(b.getIndexAttr(lineElements)));
    result.push_back({run, spacing});
    before += count;
  }
  return result;
}

Value WeightPrefetch::multiply(OpBuilder &b, Value a, Value weights, Value start, OpFoldResult number,
                               OpFoldResult row, int64_t step, int64_t rows) const {
  SmallVector<Run> lines = runs(b, number, row, step, rows);
  auto type = cast<RankedTensorType>(weights.getType());
  if (lines.empty() && type.getRank() == 2)
    return linalg::MatmulOp::create(b, loc, start.getType(), ValueRange{a, weights}, start).getResult(0);
  AffineExpr i, j, p;
  bindDims(b.getContext(), i, j, p);
  SmallVector<AffineExpr> place = {p, j};
  if (type.getRank() == 3)
    place = {j.floorDiv(type.getDimSize(2)), p, j % type.getDimSize(2)};
  SmallVector<AffineMap> maps = {AffineMap::get(3, 0, {i, p}, b.getContext()),
                                 AffineMap::get(3, 0, place, b.getContext())};
  SmallVector<Value> inputs = {a, weights};
  for (const Run &run : lines) {
    inputs.push_back(run.lines);
    maps.push_back(AffineMap::get(3, 0, p.floorDiv(run.spacing)));
  }
  maps.push_back(AffineMap::get(3, 0, {i, j}, b.getContext()));
  SmallVector<utils::IteratorType> iterators = {utils::IteratorType::parallel, utils::IteratorType::parallel,
                                                utils::IteratorType::reduction};
  auto product = linalg::GenericOp::create(
      b, loc, start.getType(), inputs, start, maps, iterators, [](OpBuilder &body, Location where, ValueRange args) {
        Value term = arith::MulFOp::create(body, where, args[0], args[1]);
        linalg::YieldOp::create(body, where, Value(arith::AddFOp::create(body, where, args.back(), term)));
      });
  if (!lines.empty())
    notes::prefetch.set(product, locality());
  return product.getResult(0);
}
