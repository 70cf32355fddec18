//===- LinearPanels.cpp - a block of rows times a panel -------------------===//

#include "ContractionParts.h"
#include "EvenTiles.h"
#include "LinearEpilogue.h"
#include "LinearLowering.h"
#include "Narrowing.h"
#include "TileOfEach.h"
#include "Widened.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

/// The number of tiles of a task that prefetch, if the number of rows is known only at run time.
static constexpr int64_t prefetchingTiles = 3;
/// Up to this number of rows, columns of the weight are read in place, since a copy would cost more than it saves.
static constexpr int64_t fewRows = 16;
/// If blocks of a row have scales of their own, the prefetch distance is the knob `prefetch_panels` times this number
/// of bytes.
static constexpr int64_t prefetchBytes = 8192;

/// Rounds a width up to a multiple of half a vector and of the unit of products if there is an epilogue, so that only
/// the epilogue needs masks.
int64_t LinearLowering::padded(int64_t width) {
  return epilogue ? llvm::alignTo(width, std::max(lanes / 2, unitOf(rounded).columns)) : width;
}

/// Returns the task's columns of the weight as a tile [k, columns x depth], or as [panels, k, stored x depth] if they
/// lie in several interleaved panels. `columns` is the padded width, but at most the width of a packed panel. If more
/// than a few rows use the weight, it is copied into a panel first unless it is packed and not stored in a narrower
/// type. For few rows, the columns of a weight that is not packed are not padded.
Value LinearLowering::panelOf(const PanelPlace &place, int64_t width, int64_t blockRows) {
  int64_t padded = this->padded(width);
  OpFoldResult zero = b.getIndexAttr(0);
  if (packed) {
    int64_t lines = packing[packing.size() - 2]; // `k`, or fewer if several rows share elements
    padded = std::min(padded, panel);
    bool several = padded > stored;
    Value part = interleaved == 1 ? emitSlice(b, loc, weight, {place.along, zero, zero}, {0, lines, padded * depth})
                                  : emitSlice(b, loc, weight, {place.beside, place.along, zero, zero},
                                              {several ? llvm::divideCeilSigned(padded, stored) : 0, 0, lines,
                                               (several ? stored : padded) * depth});
    return blockRows <= fewRows ? part : emitWidened(b, loc, part);
  }
  Value columns = emitSlice(b, loc, weight, {zero, place.column}, {k, width});
  if (blockRows <= fewRows)
    return columns;
  Value scratch = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>{k, padded}, element);
  Value target = padded == width ? scratch : emitSlice(b, loc, scratch, {zero, zero}, {k, width});
  Value copy = linalg::CopyOp::create(b, loc, columns, target).getResult(0);
  return padded == width ? copy : emitInsert(b, loc, copy, scratch, {zero, zero}, {k, width});
}

/// Emits left + right.
OpFoldResult LinearLowering::emitSum(OpBuilder &b, OpFoldResult left, OpFoldResult right) {
  AffineMap sum = AffineMap::get(2, 0, b.getAffineDimExpr(0) + b.getAffineDimExpr(1));
  return affine::makeComposedFoldedAffineApply(b, loc, sum, {left, right});
}

/// Returns `start` plus the product of `rows` rows of the task from row `at` on and part `which` of the task's panel.
Value LinearLowering::multiply(OpBuilder &b, const Task &task, OpFoldResult at, int64_t rows, OpFoldResult which,
                               Value start) {
  OpFoldResult from = emitAffine(b, loc, which, part, 0), column = emitAffine(b, loc, which, part * depth, 0);
  Value a = emitSlice(b, loc, task.input, {at, column}, {rows, part * depth});
  Value weights = task.weights;
  OpFoldResult number = task.number;
  if (parts > 1) {
    OpFoldResult zero = b.getIndexAttr(0);
    auto type = cast<RankedTensorType>(weights.getType());
    weights = type.getRank() == 2
                  ? emitSlice(b, loc, weights, {from, zero}, {part, task.columns * depth})
                  : emitSlice(b, loc, weights, {zero, from, zero}, {type.getDimSize(0), part, type.getDimSize(2)});
    AffineMap map = AffineMap::get(2, 0, b.getAffineDimExpr(0) * parts + b.getAffineDimExpr(1));
    number = affine::makeComposedFoldedAffineApply(b, loc, map, {number, which});
  }
  OpFoldResult row = task.sharer ? task.sharer : at;
  int64_t step = task.sharer ? 1 : task.step;
  int64_t sharing = task.sharer ? task.sharers : prefetch->isFor(task.rows) ? task.rows : 0;
  if (!rounded)
    return prefetch->multiply(b, a, weights, start, number, row, step, sharing);
  SmallVector<Value> lines;
  SmallVector<int64_t> every;
  for (const WeightPrefetch::Run &run : prefetch->runs(b, number, row, step, sharing)) {
    lines.push_back(run.lines);
    every.push_back(run.spacing);
  }
  Value steps = emitProductRows(b, loc, rounded->kind, a);
  return TileProductOp::create(b, loc, start.getType(), steps, weights, start, lines, rounded->kind, every,
                               every.empty() ? 3 : prefetch->locality(), /*from_zero=*/usesMatrices(rounded))
      .getResult();
}

/// Returns the sum of the products with all parts of the panel except the last part.
Value LinearLowering::sumParts(const Task &task) {
  auto add = [&](OpBuilder &inner, OpFoldResult at, int64_t rows, Value which, Value sums) {
    return ifActive(inner, task, at, rows, sums,
                    [&](OpBuilder &tileBuilder, Value) { return multiply(tileBuilder, task, at, rows, which, sums); });
  };
  return emitPartSums(b, loc, RankedTensorType::get({task.rows, task.columns}, sum), task.step, parts, add);
}

/// Computes a tile of `rows` rows of the task, from row `at` on, with `compute`, and returns it. If the layer's result
/// has an activity mask and none of these rows is active, the emitted code fills `target` with zeros instead.
Value LinearLowering::ifActive(OpBuilder &b, const Task &task, OpFoldResult at, int64_t rows, Value target,
                               llvm::function_ref<Value(OpBuilder &, Value)> compute) {
  if (!active)
    return compute(b, Value());
  return emitIfActive(b, loc, active->flags, emitSum(b, task.row, at), rows, target, compute);
}

/// Runs `tile` on the tiles of `size` rows, a number that is known only at run time, and returns the finished `target`.
/// Only the first tiles prefetch.
Value LinearLowering::inTiles(Task &task, const Extent &size, Value target,
                              llvm::function_ref<Value(OpBuilder &, OpFoldResult, int64_t, Value)> tile) {
  // If the rows are divided among several tasks (anyRows), each task has at least as many rows as a tile.
  int64_t minimum = std::clamp<int64_t>(m.low(), 1, task.step), maximum = m.high();
  bool prefetches = prefetch->isFor(maximum);
  EvenTiles tiles = {minimum, maximum, task.step, prefetches ? pace.rows : 1, prefetches ? prefetchingTiles : 0};
  auto body = [&](OpBuilder &inner, Value number, Value at, const EvenTiles::Kind &kind, Value carried) {
    task.sharer = kind.sharers > 1 ? OpFoldResult(number) : OpFoldResult(inner.getIndexAttr(0));
    task.sharers = kind.sharers;
    return tile(inner, at, kind.rows, carried);
  };
  return emitEvenTiles(b, loc, tiles, getValueOrCreateConstantIndexOp(b, loc, size.emit(b, loc)), target, body);
}

/// Applies scales and the epilogue to the sums of a tile of rounded products: the rows of `sums`, and of the activity
/// mask in `finish`, are those that were multiplied for the tile. A long epilogue is applied to a few rows at a time,
/// since its intermediate values need registers in addition to the sums. With too few vectors at a time, the processor
/// waits for results. With 12 vectors at a time, a layer takes 0.98 of the time that it takes with 6, and
/// 0.96 of the time that it takes with 3 or with all 24 vectors of a tile (Zen4, GELU, K = 384).
Value LinearLowering::emitRoundedTile(OpBuilder &b, Value sums, const ProductTile &tile, const RowTile &ofRows,
                                      const LinearEpilogue &finish, Value target) {
  constexpr int64_t vectorsAtATime = 12;
  int64_t fewRows = std::max<int64_t>(vectorsAtATime / llvm::divideCeil(tile.columns, lanes), 1);
  auto finishRows = [&](OpBuilder &b, OpFoldResult at, int64_t rows, Value target) -> Value {
    OpFoldResult zero = b.getIndexAttr(0), ofProduct = emitSum(b, ofRows.dropped, at);
    auto part = [&](Value all, OpFoldResult from) {
      int64_t columns = all ? cast<RankedTensorType>(all.getType()).getDimSize(1) : 0;
      return all ? emitSlice(b, loc, all, {from, zero}, {rows, columns}) : Value();
    };
    ProductTile place = tile;
    place.row = emitSum(b, tile.row, at);
    place.rows = rows;
    LinearEpilogue rest = finish;
    rest.addend = part(finish.addend, at);
    rest.flags = finish.flags ? emitSlice(b, loc, finish.flags, ofProduct, rows) : Value();
    Value products = emitProducts(b, loc, *rounded, part(sums, ofProduct), place);
    Value done = emitFinishedTile(b, loc, rest, products, part(target, at));
    return emitInsert(b, loc, done, target, {at, zero}, {rows, tile.columns});
  };
  // Sums in memory are read in a loop. Sums in registers must be at constant positions.
  if (usesMatrices(rounded))
    return emitRowLoop(b, loc, ofRows.count, fewRows, target, finishRows);
  int64_t rows = ofRows.count.number(), step = finish.activation == Activation::None ? rows : fewRows;
  for (int64_t from = 0; from < rows; from += step)
    target = finishRows(b, b.getIndexAttr(from), std::min(step, rows - from), target);
  return target;
}

/// Emits the slice of a matrix that `block` reads or writes: `count` x `columns` elements from row `at` and column
/// `from` on.
static Value emitRows(OpBuilder &b, Location loc, Value whole, OpFoldResult at, OpFoldResult from, OpFoldResult count,
                      int64_t columns) {
  SmallVector<OpFoldResult> first = {at, from}, sizes = {count, b.getIndexAttr(columns)};
  return tensor::ExtractSliceOp::create(b, loc, whole, first, sizes, SmallVector<OpFoldResult>(2, b.getIndexAttr(1)));
}

/// Emits a block of rows times a panel. The members are the same for all tiles of the block.
struct LinearLowering::PanelBlock {
  LinearLowering &layer;
  OpFoldResult row; // the first row of the block
  PanelPlace place; // the place of the panel, of which `width` columns are used
  int64_t width;
  Task task;
  Value bias = {}, addend = {}; // the parts of the bias and of the residual for this block, or null
  Value sums = {};              // the products of all parts of the panel but the last, or null
  bool isOneTile = false;       // whether each tile is the only one of its task

  Value emitTile(OpBuilder &b, const RowTile &tile, Value carried);

private:
  Value emitStart(OpBuilder &b, const RowTile &tile, Value target);
  Value compute(OpBuilder &b, const RowTile &tile, Value flags, Value addend, Value target);
};

/// Emits the sums to which the products of a tile are added.
Value LinearLowering::PanelBlock::emitStart(OpBuilder &b, const RowTile &tile, Value target) {
  Location loc = layer.loc;
  if (sums)
    return emitSlice(b, loc, sums, {tile.from, b.getIndexAttr(0)}, {tile.rows, task.columns});
  Value start = target;
  if (layer.epilogue)
    start = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>{tile.rows, task.columns}, layer.sum);
  if (usesMatrices(layer.rounded))
    return start;
  Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(layer.sum));
  return linalg::FillOp::create(b, loc, none, start).getResult(0);
}

/// Emits the finished elements of a tile. `addend` and `target` are the parts of the residual and of the result for the
/// tile, and `flags` is the activity of the rows that are multiplied, or null.
Value LinearLowering::PanelBlock::compute(OpBuilder &b, const RowTile &tile, Value flags, Value addend, Value target) {
  Location loc = layer.loc;
  const std::optional<RoundedOperands> &rounded = layer.rounded;
  LinearEpilogue finish = {layer.linear.getActivation(), bias, addend, flags};
  finish.isForProducts = isForProducts(layer.narrowing);
  ProductTile multiplied;
  if (rounded)
    multiplied = {layer.emitSum(b, row, tile.at), place.column, tile.rows, width, place.along};
  if (rounded && rounded->rowScales)
    std::swap(multiplied.bias, finish.bias);
  finish.byTable = rounded.has_value();
  Task own = task;
  std::optional<RoundedOperands> operands = rounded;
  if (tile.isSmall) {
    operands = emitUnit(b, loc, *rounded, tile.count);
    own.input = operands->rows;
  }
  if (rounded && rounded->block) {
    Value a = emitSlice(b, loc, own.input, {tile.from, b.getIndexAttr(0)}, {tile.rows, layer.k * layer.depth});
    ProductTile ofBlocks = multiplied;
    if (usesMatrices(rounded))
      ofBlocks.row = tile.from;
    // Tiles after the first read the panel from a cache.
    GroupPrefetch prefetch = task.rows <= task.step
                                 ? GroupPrefetch{layer.pace.distance * prefetchBytes, layer.prefetch->locality()}
                                 : GroupPrefetch();
    Value products = emitBlockSums(b, loc, *operands, a, task.weights, ofBlocks, prefetch);
    return layer.emitRoundedTile(b, products, multiplied, tile, finish, target);
  }
  Value start = emitStart(b, tile, target);
  Value product = layer.multiply(b, own, tile.from, tile.rows, b.getIndexAttr(layer.parts - 1), start);
  if (rounded)
    return layer.emitRoundedTile(b, product, multiplied, tile, finish, target);
  return layer.epilogue || sums ? emitFinishedTile(b, loc, finish, product, target) : product;
}

/// Emits a tile and its insertion into `carried`, the block of the result.
Value LinearLowering::PanelBlock::emitTile(OpBuilder &b, const RowTile &tile, Value carried) {
  Location loc = layer.loc;
  OpFoldResult zero = b.getIndexAttr(0), count = tile.count.emit(b, loc);
  Value ownAddend = addend ? emitRows(b, loc, addend, tile.at, zero, count, width) : Value();
  Value target = emitRows(b, loc, carried, tile.at, zero, count, width);
  if (isOneTile)
    task.rows = task.step = tile.rows;
  auto code = [&](OpBuilder &inner, Value flags) { return compute(inner, tile, flags, ownAddend, target); };
  // A small tile (RowTile::isSmall) also multiplies rows that do not exist in the layer and have no flags.
  Value done = tile.isSmall ? code(b, layer.active ? layer.active->flags : Value())
                            : layer.ifActive(b, task, tile.from, tile.rows, target, code);
  SmallVector<OpFoldResult> first = {tile.at, zero}, sizes = {count, b.getIndexAttr(width)};
  return tensor::InsertSliceOp::create(b, loc, done, carried, first, sizes,
                                       SmallVector<OpFoldResult>(2, b.getIndexAttr(1)));
}

/// Emits the product of `size` rows from `row` on, in tiles of `step` rows, and the panel of task `number`, of which
/// `width` columns are used. Returns the result with its position in `out`.
TaskPart LinearLowering::block(OpFoldResult row, const Extent &size, int64_t step, OpFoldResult number, int64_t width,
                               Value out) {
  PanelPlace place = emitPanelPlace(b, loc, packing, n, panel, number, width);
  OpFoldResult zero = b.getIndexAttr(0), column = place.column, rows = size.emit(b, loc);
  bool matrices = usesMatrices(rounded); // if so, the products of a block may also read rows before the block
  Value part = matrices ? input : emitWidened(b, loc, emitRows(b, loc, input, row, zero, rows, k * depth));
  Value weights = panelOf(place, width, size.isFixed() ? size.number() : m.high());
  int64_t most = size.isFixed() ? std::max(size.number(), step) : step;
  Task task = {part, weights, matrices ? zero : row, place.number, most, step, std::min(padded(width), panel)};
  if (auto type = cast<RankedTensorType>(task.weights.getType()); type.getRank() == 2)
    task.columns = type.getDimSize(1) / depth;
  PanelBlock code{*this, row, place, width, task};
  if (linear.getBias())
    code.bias = emitSlice(b, loc, linear.getBias(), {column}, {width});
  if (residual)
    code.addend = emitRows(b, loc, residual, row, column, rows, width);
  Value target = emitRows(b, loc, out, row, column, rows, width);
  if (parts > 1)
    code.sums = sumParts(code.task);
  code.isOneTile = !matrices && hasTileOfEach(b, size, step);
  if (!size.isFixed() && matrices)
    code.task.sharer = zero; // no tile prefetches, because the number of tiles is not known
  auto tile = [&](OpBuilder &inner, const RowTile &tile, Value carried) { return code.emitTile(inner, tile, carried); };
  auto ofRows = [&](OpBuilder &inner, OpFoldResult at, int64_t count, Value carried) {
    return tile(inner, {at, count, count, at, inner.getIndexAttr(0)}, carried);
  };
  Value result = matrices ? emitMatrixTiles(b, loc, row, size, m, step, unitOf(rounded).rows, target, tile)
                 : size.isFixed() || code.isOneTile ? emitRowLoop(b, loc, size, step, target, ofRows)
                                                    : inTiles(code.task, size, target, ofRows);
  return {result, {row, column}, {rows, b.getIndexAttr(width)}};
}
