//===- AttentionPartsLowering.cpp - attention of few queries by parts -----===//
//
// With few queries there are few workgroups, however many keys there are. Here,
// the keys are divided into parts, and a workgroup computes the softmax of all
// queries of some heads, which share a key head, over one part. It writes the
// maximum, the sum of the exponentials and the sums of weighted values of each
// row; a second kernel joins the parts (AttentionJoin.h).
//
// Source: flash-decoding (Dao, Haziza, Massa, Sizov, 2023).
//
//===----------------------------------------------------------------------===//

#include "AttentionPartsLowering.h"
#include "TileParts.h"

#include "Sizes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

/// Sets the members that describe the current block, and the keys that its queries see.
void AttentionPartsLowering::begin(Value batchEntry, Value group) {
  TileBuilder t(loc, b);
  Value head = t.mul(group, plan.heads);
  Value keyHead = t.createOrFold<arith::DivUIOp>(head, t.index(query.heads / key.heads));
  OpFoldResult height = affine::makeComposedFoldedAffineApply(
      b, loc, AffineMap::get(1, 0, b.getAffineDimExpr(0) * plan.heads), {queries.emit(b, loc)});
  rows = {batchEntry, head, keyHead, b.getIndexAttr(0), height, plan.heads, queries};
  range = KeyRange::emit(t, op, queries, keys, {batchEntry, t.index(0), queries.high()});
}

/// Emits the softmax of the current block over one part of the keys.
AttentionPartsLowering::Running AttentionPartsLowering::emitPartOfKeys(Value part) {
  Value queryTile = emitTiles();
  TileBuilder t(loc, b);
  int64_t size = plan.steps * block.keys;
  Value first = t.createOrFold<arith::MulIOp>(part, t.index(size));
  Value begin = t.mul(t.createOrFold<arith::DivUIOp>(range.begin, t.index(block.keys)), block.keys);
  Value end = t.min(range.end, t.add(first, t.index(size)));
  // Two stages are used even for a single step, because the copies of keys and values then do not wait for each other.
  return emitKeys(queryTile, t.max(first, begin), end, std::max<int64_t>(plan.steps, 2));
}

/// Emits the task that computes a group of heads with all keys, which are one part. Returns the result of the group.
TaskPart AttentionPartsLowering::emitWhole(ValueRange at, Value out) {
  begin(at[0], at[1]);
  return finish(emitPartOfKeys(arith::ConstantIndexOp::create(b, loc, 0)), out);
}

/// Emits the task that computes a group of heads with one part of the keys. `at` contains the batch entry, the group and
/// the part. Returns the largest scores, the totals and the sums.
SmallVector<TaskPart> AttentionPartsLowering::emitPart(ValueRange at, ValueRange outs) {
  begin(at[0], at[1]);
  Running running = emitPartOfKeys(at[2]);
  OpFoldResult row = parts.emitFirstRow(b, loc, groups, at), zero = b.getIndexAttr(0);
  SmallVector<OpFoldResult> place = {row}, height = {rows.height};
  auto partOf = [&](Value tensor, OpFoldResult from) { return heddle::emitPart(b, loc, tensor, {from}, height); };
  ValueRange ofRows = emitOfEachRow(
      b, {partOf(running.largest, zero), partOf(running.total, zero)}, {partOf(outs[0], row), partOf(outs[1], row)},
      [](OpBuilder &, ValueRange arguments) { return SmallVector<Value>(arguments.take_front(2)); });
  SmallVector<OpFoldResult> position = {row, zero}, sizes = {rows.height, b.getIndexAttr(value.size)};
  Value sums = emitRowOp(b, loc, {{heddle::emitPart(b, loc, running.sums, {zero, zero}, sizes), RowAccess::Tile}},
                         {{heddle::emitPart(b, loc, outs[2], position, sizes), RowAccess::Tile}},
                         [](OpBuilder &, ValueRange arguments) { return SmallVector<Value>(1, arguments[0]); })[0];
  return {{ofRows[0], place, height}, {ofRows[1], place, height}, {sums, position, sizes}};
}

/// Emits the tasks of all parts. Sets `parts` to what they compute.
void AttentionPartsLowering::emitParts(const Extent &batch) {
  parts.heads = plan.heads;
  parts.rows = plan.heads * queries.high();
  parts.most = plan.parts;
  AffineExpr d0 = b.getAffineDimExpr(0);
  parts.count = affine::makeComposedFoldedAffineApply(
      b, loc, AffineMap::get(1, 0, d0.ceilDiv(plan.steps * block.keys)), {keys.emit(b, loc)});
  Type element = kind.getElementOf(FragmentRole::Sum);
  int64_t count = batch.inTypes() * groups * parts.most * parts.rows;
  auto empty = [&](ArrayRef<int64_t> shape) -> Value { return tensor::EmptyOp::create(b, loc, shape, element); };
  SmallVector<Value> outs = {empty(count), empty(count), empty({count, value.size})};
  ResultRange computed =
      emitTaskParts(b, loc, {batch, Extent(groups), parts.count}, outs,
                    [&](OpBuilder &, ValueRange at, ValueRange outs) { return emitPart(at, outs); });
  parts.largest = computed[0];
  parts.totals = computed[1];
  parts.sums = computed[2];
}

void AttentionPartsLowering::run() {
  prepare();
  groups = query.heads / plan.heads;
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Extent batch = Sizes(op).of(type.getDimSize(0));
  AttentionRepair::Operands operands = {query, key, value, result, bias, mask, region};
  if (plan.parts == 1) {
    dest = emitTaskParts(b, loc, {batch, Extent(groups)}, dest,
                         [&](OpBuilder &, ValueRange at, Value out) { return emitWhole(at, out); });
    dest = AttentionRepair(b, op, score, operands).emit(dest);
  } else {
    emitParts(batch);
    dest = AttentionJoin(b, op, score, operands, parts).emit(dest);
  }
  b.replaceOp(op, emitReshape(b, loc, dest, type.getShape()));
}
