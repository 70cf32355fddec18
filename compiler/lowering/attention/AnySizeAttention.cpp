//===- AnySizeAttention.cpp - numbers known at run time -------------------===//

#include "AnySizeAttention.h"
#include "QueryLanes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace heddle;

/// Returns the queries of a task as lanes of vectors.
static QueryLanes lanesOf(const TaskQueries &queries) { return {queries.count, queries.lanes}; }

SmallVector<Value> AnySizeAttention::emitBlock(AttentionTask &task, Place place) {
  if (task.queries.count.isFixed())
    return emitTask(task, place);
  auto places = llvm::map_to_vector(llvm::seq<unsigned>(0, op->getNumResults()), place);
  return emitWidths(task, places, task.queries.lanes);
}

/// Emits variants of the task: for a block of `lanes` queries, for a block with one vector of queries less, and so on.
/// At run time, the task uses the variant with the narrowest block that contains all its queries. `places` contains the
/// slices for the results. Returns the written slices.
SmallVector<Value> AnySizeAttention::emitWidths(AttentionTask &task, ValueRange places, int64_t lanes) {
  task.queries.rows = task.queries.lanes = lanes;
  auto place = [&](unsigned i) { return places[i]; };
  if (lanes <= tiles.lanes)
    return emitTask(task, place);
  Value fills =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, b.index(task.queries.count), b.index(lanes - tiles.lanes));
  auto choice = scf::IfOp::create(b, places.getTypes(), fills, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  AttentionTask narrow = task;
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, emitTask(task, place));
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, emitWidths(narrow, places, lanes - tiles.lanes));
  return llvm::to_vector_of<Value>(choice.getResults());
}

Value AnySizeAttention::emitQuery(const TaskQueries &block) {
  if (block.count.isFixed())
    return PrefillAttention::emitQuery(block);
  HeadSlice slice{op.getQueryLayout(), block.batch, block.head, block.firstQuery, block.count, sizes.headSize};
  SmallVector<unsigned> dims = slice.getRowDims();
  auto scaled = [&](TileBuilder &inner, ValueRange args) {
    Value scale = inner.real(getQueryScale(), args[0].getType());
    return SmallVector<Value>{arith::MulFOp::create(inner, args[0], scale)};
  };
  return emitTransposed(b, lanesOf(block).emitRows(b, op.getQuery(), slice.getOffsets(), dims[0], dims[1],
                                                   sizes.headSize, sizes.headSize, scaled));
}

SoftmaxState AnySizeAttention::emitKeys(const AttentionTask &task, const SoftmaxState &state) {
  if (!plan.countsKeys)
    return PrefillAttention::emitKeys(task, state);
  return emitCountedBlocks(task, state, [&](Value firstKey, const Extent &count, const SoftmaxState &before) {
    SmallVector<OpFoldResult> origin(2, b.getIndexAttr(0));
    SmallVector<Extent> used = {count, task.queries.lanes};
    SoftmaxState inside = before;
    inside.scores = b.slice(before.scores, origin, used, {0, 1});
    inside = steps.emitOnline(task, firstKey, count, inside);
    inside.scores = b.insert(inside.scores, before.scores, origin, used);
    return inside;
  });
}

Value AnySizeAttention::emitStored(const TaskQueries &block, Value tile, Layout layout, bool inRows, Value target) {
  if (block.count.isFixed())
    return PrefillAttention::emitStored(block, tile, layout, inRows, target);
  int64_t columns = cast<RankedTensorType>(target.getType()).getDimSize(1);
  Value whole = b.empty({block.lanes, columns}, steps.softmax.getElement());
  Value lines = PrefillAttention::emitStored(block, tile, layout, inRows, whole);
  return lanesOf(block).emitStored(b, lines, columns, target);
}

SmallVector<Value> AnySizeAttention::emitResults(const AttentionTask &task, const SoftmaxState &state, Place place) {
  if (!op.getWithWeights() || keys.isFixed())
    return PrefillAttention::emitResults(task, state, place);
  Value output = steps.normalization.emit(task.queries, state.output, state.sum, task.outputInRows);
  Value stored = emitStored(task.queries, output, op.getResultLayout(), task.outputInRows, place(0));
  return {stored, emitStoredWeights(task, state, place(1))};
}

/// Divides the weights of all keys (the exponentials of their scores), [keys][lanes], by their sums, and writes the
/// results transposed to `target`.
Value AnySizeAttention::emitStoredWeights(const AttentionTask &task, const SoftmaxState &state, Value target) {
  Value all = b.index(keys);
  int64_t lanes = task.queries.lanes, square = tiles.lanes;
  SmallVector<OpFoldResult> origin(2, b.getIndexAttr(0));
  SmallVector<Extent> used = {all, lanes};
  Value weights =
      steps.normalization.emit(task.queries, b.slice(state.scores, origin, used, {0, 1}), state.sum, /*inRows=*/false);
  weights = b.insert(weights, state.scores, origin, used);
  auto loop = scf::ForOp::create(b, b.index(0), all, b.index(square), target);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value first = loop.getInductionVar();
  Extent columns = b.min(b.index(square), b.sub(all, first));
  Value part = b.slice(weights, {first, b.getIndexAttr(0)}, {square, lanes}, {0, 1});
  Value lines = b.generic(
      "pp", {{1, 0}, {0, 1}}, part, b.empty({lanes, square}, steps.softmax.getElement()),
      [&](TileBuilder &inner, ValueRange args) { return SmallVector<Value>{emitLeaving(inner, args[0])}; })[0];
  SmallVector<OpFoldResult> at = {b.getIndexAttr(0), first};
  SmallVector<Extent> extents = {task.queries.count, columns};
  Value place = b.slice(loop.getRegionIterArg(0), at, extents, {0, 1});
  Value stored = lanesOf(task.queries).emitStored(b, lines, columns, place);
  scf::YieldOp::create(b, b.insert(stored, loop.getRegionIterArg(0), at, extents));
  return loop.getResult(0);
}
