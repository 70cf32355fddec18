//===- AttentionTasks.cpp - the tasks of attention ------------------------===//

#include "AttentionTasks.h"
#include "NotFinite.h"
#include "RemovedKeys.h"

#include "Notes.h"
#include "Sizes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// Returns the queries whose results are needed, and moves the insertion point of `b` before `op`. With keys in lanes,
/// all queries are computed, and a row select remains an op of its own.
static ActiveQueries takeActive(TileBuilder &b, RewriterBase &rewriter, AttentionOp op, bool keysInLanes) {
  ActiveQueries active = keysInLanes ? ActiveQueries() : ActiveQueries::take(b, rewriter, op);
  b.setInsertionPoint(op); // taking the select moves the op
  return active;
}

AttentionTasks::AttentionTasks(RewriterBase &rewriter, AttentionOp op, const AttentionPlan &plan,
                               const AttentionTiles &tiles)
    : rewriter(rewriter), op(op), b(op.getLoc(), rewriter), plan(plan), tiles(tiles), sizes(op.getSizes()),
      batch(Sizes(op).of(sizes.batch)), queries(Sizes(op).of(sizes.queries)), keys(Sizes(op).of(sizes.keys)),
      steps(b, op, plan, tiles, takeActive(b, rewriter, op, tiles.inRows)) {
  if (plan.skipsMaskedEnds)
    unmasked = UnmaskedKeys::emit(b, steps.operands.getMask(), sizes.batch, keys);
}

void AttentionTasks::emit() {
  SmallVector<Value> results;
  for (Value result : op->getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    results.push_back(b.empty(type.getShape(), steps.softmax.getElement()));
  }
  results = emitAll(results);
  if (!steps.active)
    return rewriter.replaceOp(op, results);
  rewriter.replaceOp(steps.active.getSelect(), results);
  rewriter.eraseOp(op);
}

SmallVector<Value> AttentionTasks::emitAll(SmallVector<Value> results) {
  for (const QueryBlocks &blocks : plan.groups)
    results = emitGroup(blocks, results);
  return results;
}

double AttentionTasks::getQueryScale() { return op.getRounding() ? 1.0 : steps.score.getProductScale(); }

Value AttentionTasks::emitLeaving(TileBuilder &inner, Value number) {
  return op.getWithWeights() ? emitUnmarked(inner, number) : number;
}

AttentionTask AttentionTasks::makeTask(const QueryBlocks &blocks, ValueRange ivs, Value number) {
  TaskQueries block;
  block.rows = blocks.rows;
  block.lanes = blocks.lanes;
  block.count = blocks.rows;
  block.batch = ivs[0];
  block.head = b.mul(ivs[1], plan.sharing);
  int64_t headsOfKey = sizes.queryHeads / sizes.keyHeads;
  block.keyHead = headsOfKey == plan.sharing ? ivs[1]
                  : sizes.keyHeads == 1      ? b.index(0)
                                             : b.createOrFold<arith::DivUIOp>(block.head, b.index(headsOfKey));
  block.firstQuery =
      blocks.count == 1 ? b.index(blocks.first) : b.add(b.mul(number, blocks.rows), b.index(blocks.first));
  // With few queries, it is cheaper to multiply the scales of rows that are prefetched by scores and weights.
  bool splitsScales = plan.prefetchBytes && !plan.once && !op.getRounding();
  auto rowsOf = [&](Value rows, Layout layout, int64_t width) {
    StoredRows stored = splitsScales ? StoredRows::of(rows) : StoredRows{rows, Value()};
    return stored.emitHead(b, layout, block.batch, block.keyHead, keys, width);
  };
  StoredRows ofKeys = rowsOf(op.getKey(), op.getKeyLayout(), sizes.headSize);
  StoredRows ofValues = rowsOf(op.getValue(), op.getValueLayout(), sizes.valueSize);
  return {ProductFactors(op, tiles.pairs && !tiles.inRows, plan.blockK),
          block,
          blocks.outputInRows,
          blocks.cutsDiagonal,
          ofKeys,
          ofValues};
}

/// Emits all tasks of one block size. Each task writes its own slices of `results`.
SmallVector<Value> AttentionTasks::emitGroup(const QueryBlocks &blocks, ValueRange results) {
  SmallVector<OpFoldResult> counts = {batch.emit(b, b.getLoc()), b.getIndexAttr(sizes.queryHeads / plan.sharing),
                                      b.getIndexAttr(blocks.count)};
  Extent all = queries.emitOnce(b, b.getLoc());
  if (!all.isFixed())
    counts[2] = Value(arith::CeilDivUIOp::create(b, b.index(all), b.index(blocks.rows)));
  auto forall = scf::ForallOp::create(b, counts, results, /*mapping=*/std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forall.getBody());

  AttentionTask task = makeTask(blocks, forall.getInductionVars(), forall.getInductionVar(2));
  if (!all.isFixed())
    task.queries.count = b.min(b.index(blocks.rows), b.sub(b.index(all), task.queries.firstQuery));
  SmallVector<HeadSlice, 2> slices;
  Layout layouts[] = {op.getResultLayout(), Layout::Bhsd};
  for (auto [layout, result] : llvm::zip(layouts, results))
    slices.push_back({layout, task.queries.batch, task.queries.head, task.queries.firstQuery, task.queries.count,
                      cast<RankedTensorType>(result.getType()).getDimSize(3), plan.sharing});
  auto place = [&](unsigned i) {
    return b.slice(forall.getRegionIterArgs()[i], slices[i].getOffsets(), slices[i].getSizes(),
                   getResultDims(slices[i]));
  };
  SmallVector<Value> stored = emitBlock(task, place);
  b.setInsertionPointToEnd(forall.getTerminator().getBody());
  for (auto [part, into, slice] : llvm::zip(stored, forall.getRegionIterArgs(), slices))
    b.insertInParallel(part, into, slice.getOffsets(), slice.getSizes());
  return llvm::to_vector_of<Value>(forall.getResults());
}

/// Computes and returns the results of the task's queries. Result i is written to the slice place(i).
SmallVector<Value> AttentionTasks::emitTask(AttentionTask &task, Place place) {
  // There are inactive queries only if the op has a single result.
  scf::IfOp choice;
  Value selected;
  if (steps.active) {
    selected = place(0);
    choice = steps.active.emitIfAny(b, task.queries, selected.getType());
  }
  task.query = emitQuery(task.queries);
  findRange(task);
  SoftmaxState state = emitSoftmax(task);
  SmallVector<Value> stored = emitResults(task, state, [&](unsigned i) { return choice ? selected : place(i); });
  if (choice)
    stored[0] = ActiveQueries::emitElseZeros(b, choice, stored[0], selected);
  return stored;
}

SmallVector<Value> AttentionTasks::emitResults(const AttentionTask &task, const SoftmaxState &state, Place place) {
  Value output = steps.normalization.emit(task.queries, state.output, state.sum, task.outputInRows), weights;
  if (op.getWithWeights())
    weights = steps.normalization.emit(task.queries, state.scores, state.sum, tiles.inRows);
  SmallVector<Value> stored = {emitStored(task.queries, output, op.getResultLayout(), task.outputInRows, place(0))};
  if (weights)
    stored.push_back(emitStored(task.queries, weights, Layout::Bhsd, tiles.inRows, place(1)));
  return stored;
}

void AttentionTasks::findRange(AttentionTask &task) {
  const TaskQueries &block = task.queries;
  task.range = KeyRange::emit(b, op, queries, keys, {block.batch, block.firstQuery, block.rows});
  Value begin = task.range.begin, end = task.range.end;
  if (unmasked) {
    begin = b.max(begin, tensor::ExtractOp::create(b, unmasked.first, block.batch));
    end = b.min(end, tensor::ExtractOp::create(b, unmasked.end, block.batch));
  }
  Value size = b.index(plan.blockK);
  task.blockBegin = b.createOrFold<arith::DivUIOp>(begin, size);
  task.blockEnd = b.createOrFold<arith::CeilDivUIOp>(end, size);
}

/// The second computation, which skips removed keys, runs only if the result of the first is not finite, such as after
/// a product of the weight 0 of a removed key and a value that is not finite, or if sums of unscaled integers may have
/// overflowed (emitMayOverflow).
SoftmaxState AttentionTasks::emitSoftmax(const AttentionTask &task) {
  SoftmaxState state;
  Type element = steps.softmax.getElement();
  int64_t rows = cast<RankedTensorType>(task.query.getType()).getDimSize(steps.dims.query);
  state.sum = b.empty({rows}, steps.softmax.getPrecision());
  state.output = task.outputInRows && !tiles.inRows ? b.empty({task.queries.rows, sizes.valueSize}, element)
                                                    : b.empty(steps.dims.getShape(rows, sizes.valueSize), element);
  state.scores = b.empty(steps.dims.getShape(rows, plan.blockK), element);
  state = emitOnce(task, state);
  // A loop of zero or one iterations replaces a branch, since bufferization keeps the writes of a loop in place.
  Value wrong = emitIsNotFinite(b, state.output);
  if (task.keys.scales)
    wrong = arith::OrIOp::create(b, wrong, emitMayOverflow(b, task.query, sizes.headSize));
  Value times = b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), wrong);
  bool isScaled = task.keys.scales || task.values.scales;
  SmallVector<Value> inits = {state.sum, state.output, state.scores};
  if (isScaled) // If rows have scales, the second computation uses scaled elements, and its maximum may differ.
    inits.push_back(state.maximum);
  auto again = scf::ForOp::create(b, b.index(0), times, b.index(1), inits);
  notes::rare.set(again);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(again.getBody());
  AttentionTask checked = task;
  checked.checked = true;
  checked.factors = ProductFactors(op, /*inPairs=*/false, plan.blockK);
  if (isScaled) {
    const TaskQueries &block = task.queries;
    checked.keys = StoredRows{op.getKey(), Value()}.emitHead(b, op.getKeyLayout(), block.batch, block.keyHead, keys,
                                                             sizes.headSize);
    checked.values = StoredRows{op.getValue(), Value()}.emitHead(b, op.getValueLayout(), block.batch, block.keyHead,
                                                                 keys, sizes.valueSize);
  }
  ValueRange args = again.getRegionIterArgs();
  SoftmaxState repeated = emitOnce(checked, {isScaled ? args[3] : Value(), args[0], args[1], args[2]});
  SmallVector<Value> results = {repeated.sum, repeated.output, repeated.scores};
  if (isScaled)
    results.push_back(repeated.maximum);
  scf::YieldOp::create(b, results);
  return {isScaled ? again.getResult(3) : state.maximum, again.getResult(0), again.getResult(1), again.getResult(2)};
}

/// Emits one computation of the task in the tensors of `state`. Creates the tensor of the maximum if it is null.
SoftmaxState AttentionTasks::emitOnce(AttentionTask task, SoftmaxState state) {
  task.factor = task.factors.emit(b, task.query, /*along=*/0);
  auto refilled = [&](Value tensor) {
    return linalg::FillOp::create(b, b.real(0.0, getElementTypeOrSelf(tensor)), tensor).getResult(0);
  };
  state.sum = refilled(state.sum);
  state.output = refilled(state.output);
  if (plan.once)
    return steps.emitAtOnce(task, keys, state);
  Value minimum = b.real(-INFINITY, steps.softmax.getElement());
  if (!state.maximum)
    state.maximum = b.empty(cast<RankedTensorType>(state.sum.getType()).getShape(), steps.softmax.getElement());
  state.maximum = linalg::FillOp::create(b, minimum, state.maximum).getResult(0);
  return emitKeys(task, state);
}

/// Emits a loop over whole blocks, then the remaining keys.
SoftmaxState AttentionTasks::emitFixedBlocks(const AttentionTask &task, const SoftmaxState &state) {
  Value full = b.index(plan.fullBlocks), one = b.index(1);
  auto loop = scf::ForOp::create(b, task.blockBegin, b.min(task.blockEnd, full), one, state.list());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SoftmaxState inside = SoftmaxState::from(loop.getRegionIterArgs());
    inside = steps.emitOnline(task, b.mul(loop.getInductionVar(), plan.blockK), plan.blockK, inside);
    scf::YieldOp::create(b, inside.list());
  }
  SoftmaxState whole = SoftmaxState::from(loop.getResults());
  if (!plan.tail)
    return whole;
  // The scores of the remaining keys get a buffer of their own: bufferization would not see that a slice of the buffer
  // for whole blocks is updated in place.
  auto rest = [&](SoftmaxState inside) {
    int64_t rows = cast<RankedTensorType>(inside.sum.getType()).getDimSize(0);
    inside.scores = b.empty(steps.dims.getShape(rows, plan.tail), steps.softmax.getElement());
    inside = steps.emitOnline(task, b.index(plan.fullBlocks * plan.blockK), plan.tail, inside);
    inside.scores = whole.scores;
    return inside;
  };
  if (!removesByPosition(op) && !unmasked && !plan.parts)
    return rest(whole);
  // The following loop has zero or one iterations, since it is possible that the task does not read the last keys.
  SmallVector<Value> carried = {whole.maximum, whole.sum, whole.output};
  auto last = scf::ForOp::create(b, b.max(task.blockBegin, full), task.blockEnd, one, carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(last.getBody());
  ValueRange args = last.getRegionIterArgs();
  SoftmaxState inside = rest({args[0], args[1], args[2], whole.scores});
  scf::YieldOp::create(b, ValueRange{inside.maximum, inside.sum, inside.output});
  return {last.getResult(0), last.getResult(1), last.getResult(2), whole.scores};
}

/// There is one copy of the code for a block: in the last block, its loops end with the last key.
SoftmaxState AttentionTasks::emitCountedBlocks(const AttentionTask &task, const SoftmaxState &state, Step step) {
  auto loop = scf::ForOp::create(b, task.blockBegin, task.blockEnd, b.index(1), state.list());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SoftmaxState inside = SoftmaxState::from(loop.getRegionIterArgs());
  Value first = b.mul(loop.getInductionVar(), plan.blockK);
  Value count = b.min(b.index(plan.blockK), b.sub(task.range.length, first));
  scf::YieldOp::create(b, step(first, count, inside).list());
  return SoftmaxState::from(loop.getResults());
}
