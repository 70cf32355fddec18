//===- FewQueryAttention.cpp - attention with few queries -----------------===//

#include "FewQueryAttention.h"
#include "KeyParts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// Returns the dimensions for head, query and element of a tensor in `layout` without its batch dimension.
static LoopDims rowDims(Layout layout) { return layout == Layout::Bhsd ? LoopDims{0, 1, 2} : LoopDims{1, 0, 2}; }

Value FewQueryAttention::emitQuery(const TaskQueries &block) {
  HeadSlice slice{op.getQueryLayout(), block.batch,    block.head,  block.firstQuery,
                  block.rows,          sizes.headSize, plan.sharing};
  Type element = steps.softmax.getElement();
  Value lines = b.slice(op.getQuery(), slice.getOffsets(), slice.getSizes(), {1, 2, 3});
  Value scaled =
      b.generic("ppp", {rowDims(slice.layout), {0, 1, 2}}, lines,
                b.empty({plan.sharing, block.rows, sizes.headSize}, element), [&](TileBuilder &inner, ValueRange args) {
                  Value scale = inner.real(getQueryScale(), element);
                  return SmallVector<Value>{arith::MulFOp::create(inner, args[0], scale)};
                })[0];
  return tensor::CollapseShapeOp::create(b, scaled, ArrayRef<ReassociationIndices>{{0, 1}, {2}});
}

SoftmaxState FewQueryAttention::emitKeys(const AttentionTask &task, const SoftmaxState &state) {
  if (!plan.countsKeys)
    return emitFixedBlocks(task, state);
  return emitCountedBlocks(task, state, [&](Value firstKey, const Extent &count, const SoftmaxState &before) {
    return emitInVectors(task, firstKey, count, before);
  });
}

SmallVector<unsigned> FewQueryAttention::getResultDims(const HeadSlice &) const { return {1, 2, 3}; }

/// The rows of the tile are ordered by head and query. The dimensions of `target` are those of `layout` without the
/// batch dimension.
Value FewQueryAttention::emitStored(const TaskQueries &, Value tile, Layout layout, bool, Value target) {
  auto type = cast<RankedTensorType>(tile.getType());
  auto split = RankedTensorType::get({plan.sharing, type.getDimSize(0) / plan.sharing, type.getDimSize(1)},
                                     steps.softmax.getElement());
  Value rows = tensor::ExpandShapeOp::create(b, split, tile, ArrayRef<ReassociationIndices>{{0, 1}, {2}});
  return b.generic("ppp", {{0, 1, 2}, rowDims(layout)}, rows, target, [&](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{emitLeaving(inner, args[0])};
  })[0];
}

/// Emits one step of the online softmax over `count` keys, a number that is known only at run time. The remaining
/// scores of the last vector are set to -inf, so that their exponentials are 0.
SoftmaxState FewQueryAttention::emitInVectors(const AttentionTask &task, Value firstKey, const Extent &count,
                                              const SoftmaxState &state) {
  OnlineSoftmax &softmax = steps.softmax;
  Type element = softmax.getElement(), precision = softmax.getPrecision();
  auto type = cast<RankedTensorType>(state.scores.getType());
  int64_t rows = type.getDimSize(0), lanes = tiles.lanes;
  OpFoldResult zero = b.getIndexAttr(0);
  Value used = b.index(count);
  // Replaces a slice of `whole` by the result of `change`.
  auto changed = [&](Value whole, ArrayRef<OpFoldResult> at, ArrayRef<Extent> extents, auto change) {
    SmallVector<unsigned> keep = llvm::to_vector(llvm::seq<unsigned>(0, extents.size()));
    return b.insert(change(b.slice(whole, at, extents, keep)), whole, at, extents);
  };
  Value block = changed(state.scores, {zero, zero}, {rows, count},
                        [&](Value part) { return steps.scores.emit(task, firstKey, count, part); });
  Value vectors = arith::CeilDivUIOp::create(b, used, b.index(lanes));
  Value behind = b.sub(b.mul(vectors, lanes), used);
  block = changed(block, {zero, used}, {rows, behind},
                  [&](Value part) { return linalg::FillOp::create(b, b.real(-INFINITY, element), part).getResult(0); });

  SmallVector<ReassociationIndices> split = {{0}, {1, 2}};
  auto inVectors = RankedTensorType::get({rows, type.getDimSize(1) / lanes, lanes}, element);
  block = tensor::ExpandShapeOp::create(b, inVectors, block, split);
  OnlineSoftmax::Rescaled rescaled;
  Value sum;
  block = changed(block, {zero, zero, zero}, {rows, vectors, lanes}, [&](Value part) {
    Value highest = softmax.emitLargest("prp", {{0, 1, 2}, {0, 2}}, part, b.filled({rows, lanes}, -INFINITY, element));
    rescaled = softmax.emitRescaled(state, softmax.emitLargest(highest));
    part = b.generic("ppp", {{0}, {0, 1, 2}}, rescaled.shift, part, [&](TileBuilder &inner, ValueRange args) {
      Value weight = softmax.emitWeight(inner, args[1], args[0], task.checked);
      return SmallVector<Value>{inner.cast(weight, element)};
    })[0];
    auto add = [&](TileBuilder &inner, ValueRange args) {
      return SmallVector<Value>{arith::AddFOp::create(inner, inner.cast(args[0], precision), args[1])};
    };
    Value sums = b.generic("prp", {{0, 1, 2}, {0, 2}}, part, b.filled({rows, lanes}, 0.0, precision), add)[0];
    sum = b.generic("pr", {{0, 1}, {0}}, sums, rescaled.sum, add)[0];
    return part;
  });
  block = tensor::CollapseShapeOp::create(b, type, block, split);
  if (Value scales = task.values.scales)
    block = changed(block, {zero, zero}, {rows, count},
                    [&](Value part) { return emitTimesScales(b, scales, firstKey, count, part, steps.dims.key); });
  Value weights = b.slice(block, {zero, zero}, {rows, count}, {0, 1});
  Value output = steps.products.emitWeighted(task, firstKey, count, weights, rescaled.output);
  return {rescaled.maximum, sum, output, block};
}

SmallVector<Value> FewQueryAttention::emitAll(SmallVector<Value> results) {
  if (!plan.parts)
    return AttentionTasks::emitAll(results);
  const QueryBlocks &blocks = plan.groups.front();
  Value count = b.createOrFold<arith::CeilDivUIOp>(b.index(keys.emitOnce(b, b.getLoc())),
                                                   b.index(plan.blockK * plan.parts->steps));
  return {emitJoined(blocks, count, emitParts(blocks, count), results.front())};
}

/// Emits a task for each of `count` parts of each group of heads. Returns the results of all parts (KeyParts.h).
SmallVector<Value> FewQueryAttention::emitParts(const QueryBlocks &blocks, Value count) {
  int64_t blocksOfPart = plan.parts->steps, groups = sizes.queryHeads / plan.sharing;
  KeyParts parts(b, steps.softmax, plan.sharing, plan.sharing * blocks.rows, sizes.valueSize);
  SmallVector<Value> left = parts.emitEmpty(batch.inTypes(), groups, plan.parts->count);
  SmallVector<OpFoldResult> counts = {batch.emit(b, b.getLoc()), b.getIndexAttr(groups), count};
  auto forall = scf::ForallOp::create(b, counts, left, /*mapping=*/std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forall.getBody());
  Value part = forall.getInductionVar(2), first = b.mul(part, blocksOfPart);
  AttentionTask task = makeTask(blocks, forall.getInductionVars(), b.index(0));
  task.query = emitQuery(task.queries);
  findRange(task);
  task.blockBegin = b.max(task.blockBegin, first);
  task.blockEnd = b.min(task.blockEnd, b.add(first, b.index(blocksOfPart)));
  parts.emitStored(forall, task.queries, part, emitSoftmax(task));
  return llvm::to_vector_of<Value>(forall.getResults());
}

/// Emits the tasks that join the results of `count` parts and write them to `result`.
Value FewQueryAttention::emitJoined(const QueryBlocks &blocks, Value count, ValueRange parts, Value result) {
  SmallVector<OpFoldResult> counts = {batch.emit(b, b.getLoc()), b.getIndexAttr(sizes.queryHeads / plan.sharing)};
  auto forall = scf::ForallOp::create(b, counts, result, /*mapping=*/std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forall.getBody());
  TaskQueries block = makeTask(blocks, forall.getInductionVars(), b.index(0)).queries;
  KeyParts all(b, steps.softmax, plan.sharing, plan.sharing * blocks.rows, sizes.valueSize);
  SoftmaxState joined = all.emitJoined(block, count, parts);
  HeadSlice slice{op.getResultLayout(), block.batch,     block.head,  block.firstQuery,
                  block.count,          sizes.valueSize, plan.sharing};
  Value place = b.slice(forall.getRegionIterArgs()[0], slice.getOffsets(), slice.getSizes(), {1, 2, 3});
  Value output = steps.normalization.emit(block, joined.output, joined.sum, /*inRows=*/true);
  Value stored = emitStored(block, output, slice.layout, /*inRows=*/true, place);
  b.setInsertionPointToEnd(forall.getTerminator().getBody());
  b.insertInParallel(stored, forall.getRegionIterArgs()[0], slice.getOffsets(), slice.getSizes());
  return forall.getResult(0);
}
