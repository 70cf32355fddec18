//===- Attention.cpp - attention as loops over blocks ---------------------===//

#include "AttentionEmitter.h"
#include "Emit.h"
#include "MaskBytes.h"

#include "Notes.h"
#include "Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

AttentionEmitter::AttentionEmitter(RewriterBase &rewriter, AttentionOp op, const AttentionTiles &tiles)
    : b(op.getLoc(), rewriter), rewriter(rewriter), op(op), tiles(tiles) {}

LogicalResult AttentionEmitter::check() {
  for (Value value :
       llvm::concat<Value>(llvm::to_vector(op->getOperands()), llvm::to_vector_of<Value>(op->getResults())))
    if (!cast<RankedTensorType>(value.getType()).hasStaticShape())
      return op.emitError("cannot lower attention on ") << value.getType() << ": its shape must be static";
  auto query = cast<RankedTensorType>(op.getQuery().getType());
  element = query.getElementType();
  if (!element.isF32() && !element.isF64())
    return op.emitError("cannot lower attention on elements of type ") << element << ": only f32 and f64 are supported";
  precision = op.getSoftmaxPrecision() == SoftmaxPrecision::F64 ? Type(b.getF64Type()) : element;
  if (tiles.blockQ < 1 || tiles.blockK < 1)
    return op.emitError("cannot lower attention in blocks of ")
           << tiles.blockQ << " queries and " << tiles.blockK << " keys";
  unit = unitOfScores(op);
  AttentionOp::Extents sizes = op.getSizes();
  Sizes ranges(op);
  batch = ranges.of(sizes.batch);
  heads = sizes.queryHeads;
  keyHeads = sizes.keyHeads;
  queries = ranges.of(sizes.queries);
  keys = ranges.of(sizes.keys);
  size = sizes.headSize;
  valueSize = sizes.valueSize;
  if (llvm::is_contained({sizes.batch, heads, sizes.queries, sizes.keys, size, valueSize}, 0))
    return op.emitError("cannot lower attention with an empty dimension");
  if (tiles.inRows)
    std::swap(keyDim, queryDim);
  if (tiles.inRows && !queries.isFixed())
    return op.emitError("cannot lower attention with keys in vector lanes: the number of queries lies in a range");
  plan = AttentionPlan::of(AttentionFacts::of(op), tiles);
  if (tiles.inRows && plan.countsKeys && plan.once)
    return op.emitError(
        "cannot lower attention with keys in vector lanes in one block: the number of keys lies in a range");
  return success();
}

SmallVector<int64_t> AttentionEmitter::tileShape(int64_t rows, int64_t columns) const {
  SmallVector<int64_t> shape(2);
  shape[queryDim] = rows;
  shape[keyDim] = columns;
  return shape;
}

void AttentionEmitter::emit() {
  takeSelect();
  b.setInsertionPoint(op);
  if (op.getMask())
    mask = maskBytes(b, op.getMask());
  for (Value read : op.getReads())
    reads.push_back(getElementTypeOrSelf(read).isInteger(1) ? maskBytes(b, read) : read);
  findMaskedEnds();
  SmallVector<Value> results;
  for (Value result : op->getResults())
    results.push_back(b.empty(cast<RankedTensorType>(result.getType()).getShape(), element));
  if (plan.parts)
    results = {emitParts(plan.groups.front(), results.front())};
  else
    for (const QueryBlocks &blocks : plan.groups)
      results = emitGroup(blocks, results);
  if (!select)
    return rewriter.replaceOp(op, results);
  rewriter.replaceOp(select, results);
  rewriter.eraseOp(op);
}

/// Returns the task of batch entry ivs[0], head (or group of heads) ivs[1] and block `block` of the queries.
AttentionEmitter::Task AttentionEmitter::makeTask(const QueryBlocks &blocks, ValueRange ivs, Value block) {
  Task task;
  task.blocks = blocks;
  task.queries = blocks.rows;
  task.batch = ivs[0];
  task.head = b.mul(ivs[1], plan.sharing);
  task.keyHead = heads == keyHeads * plan.sharing ? ivs[1]
                 : keyHeads == 1             ? b.index(0)
                                             : b.createOrFold<arith::DivUIOp>(task.head, b.index(heads / keyHeads));
  task.firstQuery = blocks.count == 1 ? b.index(blocks.first) : b.add(b.mul(block, blocks.rows), b.index(blocks.first));
  task.keys = storedHead(storedRows(op.getKey()), op.getKeyLayout(), task.batch, task.keyHead, size);
  task.values = storedHead(storedRows(op.getValue()), op.getValueLayout(), task.batch, task.keyHead, valueSize);
  return task;
}

/// Emits all tasks of one block size. Each task writes its own slices of `results`.
SmallVector<Value> AttentionEmitter::emitGroup(const QueryBlocks &blocks, ValueRange results) {
  SmallVector<OpFoldResult> counts = {batch.emit(b, b.getLoc()), b.getIndexAttr(heads / plan.sharing),
                                      b.getIndexAttr(blocks.count)};
  Extent all = queries.emitOnce(b, b.getLoc());
  if (!all.isFixed())
    counts[2] = Value(arith::CeilDivUIOp::create(b, b.index(all), b.index(blocks.rows)));
  auto forall = scf::ForallOp::create(b, counts, results, /*mapping=*/std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forall.getBody());

  Task task = makeTask(blocks, forall.getInductionVars(), forall.getInductionVar(2));
  SmallVector<SmallVector<OpFoldResult>, 2> offsets;
  SmallVector<SmallVector<Extent>, 2> sizes;
  Layout layouts[] = {op.getResultLayout(), Layout::Bhsd};
  if (!all.isFixed())
    task.queries = b.min(b.index(blocks.rows), b.sub(b.index(all), task.firstQuery));
  for (auto [layout, result] : llvm::zip(layouts, results)) {
    offsets.push_back(headOffsets(layout, task.batch, task.head, task.firstQuery));
    int64_t columns = cast<RankedTensorType>(result.getType()).getDimSize(3);
    sizes.push_back(headSizes(layout, task.queries, columns, plan.sharing));
  }
  auto place = [&](unsigned i) {
    SmallVector<unsigned> keep = tiles.inRows ? SmallVector<unsigned>{1, 2, 3} : headKeep(layouts[i]);
    return b.slice(forall.getRegionIterArgs()[i], offsets[i], sizes[i], keep);
  };
  SmallVector<Value> stored;
  if (!all.isFixed())
    stored = emitWidths(task, llvm::map_to_vector(llvm::seq<unsigned>(0, results.size()), place), blocks.lanes);
  else
    stored = emitTask(task, place);
  b.setInsertionPointToEnd(forall.getTerminator().getBody());
  for (auto [i, part] : llvm::enumerate(stored))
    b.insertInParallel(part, forall.getRegionIterArgs()[i], offsets[i], sizes[i]);
  return llvm::to_vector_of<Value>(forall.getResults());
}

/// Computes and returns the results of the task's queries. Result i is written to the slice place(i).
SmallVector<Value> AttentionEmitter::emitTask(Task &task, function_ref<Value(unsigned)> place) {
  // takeSelect() sets `select` only if the op has a single result.
  scf::IfOp choice;
  Value selected;
  if (active) {
    selected = place(0);
    choice = ifActive(task, selected.getType());
  }
  task.query = tiles.inRows ? loadRows(task) : loadQuery(task);
  findRange(task);
  Running running = run(task);
  SmallVector<Value> outputs = {normalized(task, running.output, running.sum, task.blocks.outputInRows)};
  bool rows[] = {task.blocks.outputInRows, tiles.inRows};
  Layout layouts[] = {op.getResultLayout(), Layout::Bhsd};
  SmallVector<Value> stored;
  if (op.getWithWeights() && keys.isFixed())
    outputs.push_back(normalized(task, running.scores, running.sum, tiles.inRows));
  for (auto [i, tile] : llvm::enumerate(outputs)) {
    Value target = choice ? selected : place(i);
    stored.push_back(tiles.inRows ? storeRows(tile, layouts[i], target) : store(task, tile, target, rows[i]));
  }
  if (op.getWithWeights() && !keys.isFixed())
    stored.push_back(storeAnyKeys(task, running, place(1)));
  if (choice)
    stored[0] = elseZeros(choice, stored[0], selected);
  return stored;
}

/// Emits the computation of a task, and a second computation, which skips removed keys. The second computation runs
/// only if the result of the first is not finite, such as after a product of the weight 0 of a removed key and a value
/// that is not finite, or if sums of unscaled integers may have overflowed (mayOverflow).
AttentionEmitter::Running AttentionEmitter::run(Task &task) {
  Running running;
  int64_t rows = cast<RankedTensorType>(task.query.getType()).getDimSize(queryDim);
  running.sum = b.empty({rows}, precision);
  running.output = task.blocks.outputInRows && !tiles.inRows ? b.empty({task.blocks.rows, valueSize}, element)
                                                    : b.empty(tileShape(rows, valueSize), element);
  running.scores = b.empty(tileShape(rows, plan.blockK), element);
  running = compute(task, running);
  // A loop of zero or one iterations replaces a branch, since bufferization keeps the writes of a loop in place.
  Value wrong = isNotFinite(running.output);
  if (task.keys.scales)
    wrong = arith::OrIOp::create(b, wrong, mayOverflow(task));
  Value times = b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), wrong);
  bool scaled = task.keys.scales || task.values.scales;
  SmallVector<Value> inits = running.results();
  if (scaled) // If rows have scales, the second computation uses scaled elements, and its maximum may differ.
    inits.push_back(running.maximum);
  auto again = scf::ForOp::create(b, b.index(0), times, b.index(1), inits);
  notes::rare.set(again);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(again.getBody());
  task.checked = true;
  if (scaled) {
    task.keys = storedHead({op.getKey(), Value()}, op.getKeyLayout(), task.batch, task.keyHead, size);
    task.values = storedHead({op.getValue(), Value()}, op.getValueLayout(), task.batch, task.keyHead, valueSize);
  }
  ValueRange args = again.getRegionIterArgs();
  Running checked = compute(task, {scaled ? args[3] : Value(), args[0], args[1], args[2]});
  SmallVector<Value> results = checked.results();
  if (scaled)
    results.push_back(checked.maximum);
  scf::YieldOp::create(b, results);
  return {scaled ? again.getResult(3) : running.maximum, again.getResult(0), again.getResult(1), again.getResult(2)};
}

/// Emits the computation of the task in the tensors of `running`. Creates the tensor of the maximum if it is null.
AttentionEmitter::Running AttentionEmitter::compute(Task &task, Running running) {
  task.factor = asFactor(task, task.query, /*along=*/0);
  auto refilled = [&](Value tensor) {
    Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
    return linalg::FillOp::create(b, b.real(0.0, type), tensor).getResult(0);
  };
  running.sum = refilled(running.sum);
  running.output = refilled(running.output);
  if (plan.once)
    return atOnce(task, running);
  Value minimum = b.real(-INFINITY, element);
  if (!running.maximum)
    running.maximum = b.empty(cast<RankedTensorType>(running.sum.getType()).getShape(), element);
  running.maximum = linalg::FillOp::create(b, minimum, running.maximum).getResult(0);
  if (plan.countsKeys)
    return overAnyKeys(task, running);
  return task.blocks.cutsDiagonal ? upToDiagonal(task, running) : overKeys(task, running);
}

/// Emits the online softmax over the blocks of keys that a query of the task reads: a loop over whole blocks, then the
/// remaining keys.
AttentionEmitter::Running AttentionEmitter::overKeys(Task &task, Running running) {
  Value full = b.index(plan.fullBlocks), one = b.index(1);
  auto loop = scf::ForOp::create(b, task.blockBegin, b.min(task.blockEnd, full), one, running.list());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Running inside = Running::from(loop.getRegionIterArgs());
    inside = online(task, b.mul(loop.getInductionVar(), plan.blockK), plan.blockK, inside);
    scf::YieldOp::create(b, inside.list());
  }
  running = Running::from(loop.getResults());
  if (!plan.tail)
    return running;
  // The scores of the remaining keys get a buffer of their own: bufferization would not see that a slice of the buffer
  // for whole blocks is updated in place.
  auto rest = [&](Running inside) {
    Value whole = inside.scores;
    int64_t rows = cast<RankedTensorType>(inside.sum.getType()).getDimSize(0);
    inside.scores = b.empty(tileShape(rows, plan.tail), element);
    inside = online(task, b.index(plan.fullBlocks * plan.blockK), plan.tail, inside);
    inside.scores = whole;
    return inside;
  };
  if (!removesByPosition(op) && !firstUnmaskedKey && !plan.parts)
    return rest(running);
  // The following loop has zero or one iterations, since it is possible that the task does not read the last keys.
  SmallVector<Value> state = {running.maximum, running.sum, running.output};
  auto last = scf::ForOp::create(b, b.max(task.blockBegin, full), task.blockEnd, one, state);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(last.getBody());
  ValueRange args = last.getRegionIterArgs();
  Running inside = rest({args[0], args[1], args[2], running.scores});
  scf::YieldOp::create(b, ValueRange{inside.maximum, inside.sum, inside.output});
  return {last.getResult(0), last.getResult(1), last.getResult(2), running.scores};
}

LogicalResult heddle::lowerAttention(RewriterBase &rewriter, AttentionOp op, const AttentionTiles &tiles) {
  AttentionEmitter emitter(rewriter, op, tiles);
  if (failed(emitter.check()))
    return failure();
  emitter.emit();
  return success();
}
