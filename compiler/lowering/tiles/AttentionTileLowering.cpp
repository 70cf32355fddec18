//===- AttentionTileLowering.cpp - attention by tiles with places ---------===//
//
// A workgroup computes the results of a block of queries of one head: step by
// step with blocks of keys, with an online softmax (FlashAttention-2: Dao,
// arXiv:2307.08691). Tiles of queries, keys and values lie in workgroup memory.
// Scores and the sums of weighted values lie in registers, and so do the
// largest score and the sum of weights of each query. If a lane has the weights
// that it multiplies, they remain in registers; otherwise they are copied to
// workgroup memory. All operations are those of the whole workgroup.
//
// A product of the weight 0 of a removed key and a value that is not finite is
// NaN, but a removed key must contribute nothing. Results of queries that are
// not finite are therefore computed again (AttentionRepair.h).
//
//===----------------------------------------------------------------------===//

#include "AttentionTileLowering.h"
#include "AttentionRepair.h"
#include "MaskBytes.h"
#include "TileParts.h"
#include "Widened.h"

#include "Notes.h"
#include "Sizes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// Sets the members that all blocks share.
void AttentionTileLowering::prepare() {
  auto typeOf = [](Value tensor) { return cast<RankedTensorType>(tensor.getType()); };
  query = HeadRows::of(op, typeOf(op.getQuery()), op.getQueryLayout());
  key = HeadRows::of(op, typeOf(op.getKey()), op.getKeyLayout());
  value = HeadRows::of(op, typeOf(op.getValue()), op.getValueLayout());
  result = HeadRows::of(op, typeOf(op.getResult()), op.getResultLayout());
  queries = query.rows.emitOnce(b, loc);
  keys = key.rows.emitOnce(b, loc);
  for (HeadRows *rows : {&query, &result})
    rows->rows = queries;
  for (HeadRows *rows : {&key, &value})
    rows->rows = keys;
  TileBuilder t(loc, b);
  // Elements of a bias are converted where they are added.
  bias = {op.getBias() ? storedValue(op.getBias()) : Value(), queries, keys};
  mask = {op.getMask() ? maskBytes(t, op.getMask()) : Value(), queries, keys};
  region = ScoreRegion(t, op, queries, keys);
  dest = emitDestination(b, op.getResult(), result.matrixOf(typeOf(op.getResult())));
}

/// Returns a new tensor whose buffer is in the memory space `place`.
Value AttentionTileLowering::allocate(ArrayRef<int64_t> shape, Type element, Attribute place) {
  auto alloc = bufferization::AllocTensorOp::create(b, loc, RankedTensorType::get(shape, element), ValueRange());
  alloc.setMemorySpaceAttr(place);
  return alloc;
}

/// Returns a new tensor in registers, whose elements have the type of the kind's sums or left factors (`role`).
Value AttentionTileLowering::allocateInRegisters(ArrayRef<int64_t> shape, FragmentRole role) {
  return allocate(shape, kind.getElementOf(role),
                  FragmentsAttr::get(b.getContext(), kind, block.warps, /*warpColumns=*/1));
}

/// Copies `count` rows of a head, from row `first` on, into a tile in workgroup memory of `height` x `width` elements,
/// which is a factor of a product.
Value AttentionTileLowering::copy(Value tensor, const HeadRows &source, Value headOfRows, OpFoldResult first,
                                  OpFoldResult count, int64_t height, int64_t width) {
  tensor = storedValue(tensor); // the copy widens narrower elements
  auto type = cast<RankedTensorType>(tensor.getType());
  Value matrix = emitReshape(b, loc, tensor, source.matrixOf(type).getShape());
  auto [row, column] = source.emitPosition(b, loc, rows.batch, headOfRows, first);
  auto values = [&](ArrayRef<OpFoldResult> indices) { return getValueOrCreateConstantIndexOp(b, loc, indices); };
  bool isWhole = isConstantIntValue(count, height) && source.size == width;
  SmallVector<Value> valid = isWhole ? SmallVector<Value>() : values({count, b.getIndexAttr(source.size)});
  Value tile = allocate({height, width}, kind.getElementOf(FragmentRole::Left), WorkgroupAttr::get(b.getContext()));
  return TileCopyOp::create(b, loc, tile.getType(), matrix, values({row, column}), valid, tile).getResult();
}

/// Emits the weights of the block's scores, in registers. If factors are narrower than scores, weights are rounded, in a
/// tile of their own. Also returns the weights as factors of a product: the same tile, or a copy in workgroup memory.
std::pair<Value, Value> AttentionTileLowering::emitWeights(Value scores, Value subtracted) {
  SmallVector<RowInput> inputs = {{subtracted, RowAccess::Row}}, outputs = {{scores, RowAccess::Tile}};
  Type factorType = kind.getElementOf(FragmentRole::Left);
  bool isNarrow = factorType != getElementTypeOrSelf(scores);
  if (isNarrow) {
    inputs.push_back(outputs[0]);
    outputs[0].value = narrowTile;
  }
  if (weightTile)
    outputs.push_back({weightTile, RowAccess::Tile});
  ValueRange weights = emitRowOp(b, loc, inputs, outputs, [&](OpBuilder &inner, ValueRange arguments) {
    Value weight = score.isScaledProduct() ? score.emitWeightOfProduct(inner, loc, arguments[1], arguments[0])
                                           : score.emitWeight(inner, loc, arguments[1], arguments[0]);
    if (isNarrow)
      weight = arith::TruncFOp::create(inner, loc, factorType, score.emitScaled(inner, loc, weight));
    return SmallVector<Value>(outputs.size(), weight);
  });
  return {weights.front(), weights.back()};
}

/// Emits the step of the loop that adds the block of keys from `firstKey` on to `running`, and returns the new values.
AttentionTileLowering::Running AttentionTileLowering::emitStep(Value queryTile, Value firstKey,
                                                               const Running &running) {
  OpFoldResult count = emitCountFrom(b, loc, firstKey, keys, block.keys);
  if (op.getKeyLengths()) { // the rows after the last key of a state are not initialised
    TileBuilder t(loc, b);
    count = t.min(t.sub(range.length, firstKey), t.index(block.keys));
  }
  Value scores = emitScores(queryTile, firstKey, count);
  Value valueTile = copy(op.getValue(), value, rows.keyHead, OpFoldResult(firstKey), count, block.keys,
                         AttentionTileBlock::getWidth(kind, value.size));
  Value largest =
      emitRowOp(b, loc, {{scores, RowAccess::Tile}}, {{emitFilled(b, loc, largestOfStep, -INFINITY), RowAccess::Row}},
                [&](OpBuilder &inner, ValueRange arguments) {
                  // The maximum ignores NaN, but the weight of such a score is NaN, and so is the total.
                  return SmallVector<Value>{arith::MaxNumFOp::create(inner, loc, arguments[1], arguments[0])};
                })[0];
  ValueRange scaled = emitOfEachRow(
      b, largest, {factor, shift, running.largest, running.total}, [&](OpBuilder &inner, ValueRange arguments) {
        Value highest = score.isScaledProduct() ? score.emitBound(inner, loc, arguments[0]) : arguments[0];
        Value maximum = score.emitMaximum(inner, loc, highest, arguments[3]);
        Value subtracted = score.emitShift(inner, loc, maximum);
        Value scale = score.emitWeight(inner, loc, arguments[3], subtracted);
        Value total = arith::MulFOp::create(inner, loc, arguments[4], scale);
        return SmallVector<Value>{scale, subtracted, maximum, total};
      });
  auto [weights, factors] = emitWeights(scores, scaled[1]);
  Value total = emitRowOp(b, loc, {{weights, RowAccess::Tile}}, {{scaled[3], RowAccess::Row}},
                          [&](OpBuilder &inner, ValueRange arguments) {
                            Value weight = emitExtended(inner, loc, arguments[0], arguments[1].getType());
                            return SmallVector<Value>{arith::AddFOp::create(inner, loc, arguments[1], weight)};
                          })[0];
  Value sums = emitRowOp(b, loc, {{scaled[0], RowAccess::Row}}, {{running.sums, RowAccess::Tile}},
                         [&](OpBuilder &inner, ValueRange arguments) {
                           return SmallVector<Value>{arith::MulFOp::create(inner, loc, arguments[1], arguments[0])};
                         })[0];
  sums = linalg::MatmulOp::create(b, loc, ValueRange{factors, valueTile}, ValueRange{sums}).getResult(0);
  return {sums, scaled[2], total};
}

/// Divides the sums by the sums of the weights, and returns the results of the block with their position.
TaskPart AttentionTileLowering::finish(const Running &running, Value out) {
  OpFoldResult zero = b.getIndexAttr(0), width = b.getIndexAttr(result.size);
  // If a sum of weighted values is not finite, or if all weights are 0 although the query sees keys (emitMark), the
  // query's result must consist of NaN, so that AttentionRepair computes it again. `marks` has 0 or NaN for each query:
  // x - x is NaN if x is not finite.
  Value marks = allocateInRegisters(block.queries);
  ValueRange ofQueries =
      emitOfEachRow(b, running.largest, {running.total, marks}, [&](OpBuilder &inner, ValueRange arguments) {
        Value largest = arguments[0], total = arguments[1];
        return SmallVector<Value>{score.emitInverse(inner, loc, total), score.emitMark(inner, loc, largest, total)};
      });
  Value inverse = ofQueries[0];
  marks = emitRowOp(b, loc, {{running.sums, RowAccess::Tile}}, {{ofQueries[1], RowAccess::Row}},
                    [&](OpBuilder &inner, ValueRange arguments) {
                      Value none = arith::SubFOp::create(inner, loc, arguments[0], arguments[0]);
                      return SmallVector<Value>{arith::AddFOp::create(inner, loc, arguments[1], none)};
                    })[0];
  auto [row, column] = result.emitPosition(b, loc, rows.batch, rows.head, rows.firstQuery);
  SmallVector<OpFoldResult> position = {row, column}, sizes = {rows.height, width};
  auto sumsType = cast<RankedTensorType>(running.sums.getType());
  bool hasAllRows = isConstantIntValue(rows.height, block.queries);
  bool isWhole = hasAllRows && sumsType.getDimSize(1) == result.size;
  Value sums = isWhole ? running.sums : emitPart(b, loc, running.sums, {zero, zero}, sizes);
  for (Value *ofRows : {&inverse, &marks})
    if (!hasAllRows)
      *ofRows = emitPart(b, loc, *ofRows, {zero}, {rows.height});
  Value part = emitRowOp(
      b, loc, {{sums, RowAccess::Tile}, {inverse, RowAccess::Row}, {marks, RowAccess::Row}},
      {{emitPart(b, loc, out, position, sizes), RowAccess::Tile}}, [&](OpBuilder &inner, ValueRange arguments) {
        return SmallVector<Value>{math::FmaOp::create(inner, loc, arguments[0], arguments[1], arguments[2])};
      })[0];
  return {part, position, sizes};
}

/// Emits the tiles that all steps of the current block use. Returns the tile of its queries.
Value AttentionTileLowering::emitTiles() {
  Value queryTile = copy(op.getQuery(), query, rows.head, rows.firstQuery, rows.height, block.queries,
                         AttentionTileBlock::getDepth(kind, query.size));
  scoreTile = allocateInRegisters({block.queries, block.keys});
  for (Value *ofRows : {&largestOfStep, &factor, &shift})
    *ofRows = allocateInRegisters(block.queries);
  if (kind.getElementOf(FragmentRole::Left) != kind.getElementOf(FragmentRole::Sum))
    narrowTile = allocateInRegisters({block.queries, block.keys}, FragmentRole::Left);
  if (!block.keepsWeights(kind))
    weightTile = allocate({block.queries, block.keys}, kind.getElementOf(FragmentRole::Left),
                          WorkgroupAttr::get(b.getContext()));
  return queryTile;
}

/// Emits the loop over the keys from `begin`, a multiple of the number of keys of a step, to `end`. There are at most
/// `steps` steps if their number is known.
AttentionTileLowering::Running AttentionTileLowering::emitKeys(Value queryTile, Value begin, Value end,
                                                               std::optional<int64_t> steps) {
  Value sums =
      emitFilled(b, loc, allocateInRegisters({block.queries, AttentionTileBlock::getWidth(kind, value.size)}), 0.0);
  Value largest = emitFilled(b, loc, allocateInRegisters(block.queries), -INFINITY);
  Value total = emitFilled(b, loc, allocateInRegisters(block.queries), 0.0);
  Value step = arith::ConstantIndexOp::create(b, loc, block.keys);
  auto loop = scf::ForOp::create(b, loc, begin, end, step, ValueRange{sums, largest, total});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    ValueRange carried = loop.getRegionIterArgs();
    Running next = emitStep(queryTile, loop.getInductionVar(), {carried[0], carried[1], carried[2]});
    scf::YieldOp::create(b, loc, ValueRange{next.sums, next.largest, next.total});
  }
  if (int64_t stages = std::min(block.stages, steps.value_or(block.stages)); stages > 1)
    notes::stages.set(loop, stages);
  return {loop.getResult(0), loop.getResult(1), loop.getResult(2)};
}

/// Emits the task that computes one block. `at` contains the batch entry, the head and the number of the block. Returns
/// the block with its position in the result.
TaskPart AttentionTileLowering::emitBlock(ValueRange at, Value out) {
  auto constant = [&](int64_t number) -> Value { return arith::ConstantIndexOp::create(b, loc, number); };
  Value keyHead = b.createOrFold<arith::DivUIOp>(loc, at[1], constant(query.heads / key.heads));
  OpFoldResult firstQuery = emitAffine(b, loc, at[2], block.queries, 0);
  rows = {at[0], at[1], keyHead, firstQuery, emitCountFrom(b, loc, firstQuery, queries, block.queries),
          /*heads=*/1, queries};
  Value queryTile = emitTiles();
  TileBuilder t(loc, b);
  range = KeyRange::emit(t, op, queries, keys, {rows.batch, t.index(firstQuery), block.queries});
  Value begin = t.mul(b.createOrFold<arith::DivUIOp>(loc, range.begin, constant(block.keys)), block.keys);
  std::optional<int64_t> steps = keys.isFixed() ? std::optional(keys.steps(block.keys)) : std::nullopt;
  return finish(emitKeys(queryTile, begin, range.end, steps), out);
}

void AttentionTileLowering::run() {
  prepare();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  OpFoldResult blocks = affine::makeComposedFoldedAffineApply(
      b, loc, AffineMap::get(1, 0, b.getAffineDimExpr(0).ceilDiv(block.queries)), {queries.emit(b, loc)});
  Extent counts[] = {Sizes(op).of(type.getDimSize(0)), query.heads, Extent(blocks)};
  dest = emitTaskParts(b, loc, counts, dest, [&](OpBuilder &, ValueRange at, Value out) { return emitBlock(at, out); });
  dest = AttentionRepair(b, op, score, {query, key, value, result, bias, mask, region}).emit(dest);
  b.replaceOp(op, emitReshape(b, loc, dest, type.getShape()));
}
