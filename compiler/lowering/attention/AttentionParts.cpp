//===- AttentionParts.cpp - a long past divided among tasks ---------------===//
//
// With few queries, there are few tasks, however many keys there are. Here, the
// keys are divided into parts. A task for each part computes the maximum, sum
// and output of its own softmax, and these results are joined in the order of
// the parts. The parts depend on the maximum number of keys, not on the number
// of threads, so a result has the same bits with any number of threads.
//
// Source: flash-decoding (Dao, Haziza, Massa, Sizov, 2023).
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace heddle;

/// Returns the slice that belongs to part `part` of a task, in a tensor with the results of all parts. The shape of the
/// tensor is [batch, groups, parts, rows] or [batch, groups, parts, rows, columns], where a group consists of the heads
/// of one task. `columns` contains the number of columns, or is empty if the tensor has none.
AttentionEmitter::PartPlace AttentionEmitter::partPlace(const Task &task, Value part, ArrayRef<int64_t> columns) {
  Value group = b.createOrFold<arith::DivUIOp>(task.head, b.index(plan.sharing));
  PartPlace place{{task.batch, group, part, b.getIndexAttr(0)}, {1, 1, 1, plan.sharing * task.blocks.rows}, {3}};
  for (int64_t number : columns) {
    place.keep.push_back(place.offsets.size());
    place.offsets.push_back(b.getIndexAttr(0));
    place.sizes.push_back(number);
  }
  return place;
}

/// Emits a task for each of `count` parts of each group of heads. Returns three tensors [batch, groups, parts, rows]
/// with the maximum, sum and output of all parts; the output has a further, last dimension for columns.
SmallVector<Value> AttentionEmitter::emitEachPart(const QueryBlocks &blocks, Value count) {
  int64_t blocksOfPart = plan.parts->steps, groups = heads / plan.sharing, rows = plan.sharing * blocks.rows;
  SmallVector<int64_t> shape = {batch.inTypes(), groups, plan.parts->count,
                                rows};
  SmallVector<Value> left = {b.empty(shape, element), b.empty(shape, precision)};
  shape.push_back(valueSize);
  left.push_back(b.empty(shape, element));

  SmallVector<OpFoldResult> counts = {batch.emit(b, b.getLoc()), b.getIndexAttr(groups), count};
  auto forall = scf::ForallOp::create(b, counts, left, /*mapping=*/std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forall.getBody());
  Value part = forall.getInductionVar(2), first = b.mul(part, blocksOfPart);
  Task task = makeTask(blocks, forall.getInductionVars(), b.index(0));
  task.query = loadRows(task);
  findRange(task);
  task.blockBegin = b.max(task.blockBegin, first);
  task.blockEnd = b.min(task.blockEnd, b.add(first, b.index(blocksOfPart)));
  Running running = run(task);

  Value tiles[] = {running.maximum, running.sum, running.output};
  PartPlace places[] = {partPlace(task, part), partPlace(task, part), partPlace(task, part, {valueSize})};
  StringRef iterators[] = {"p", "p", "pp"};
  LoopDims dims[] = {{0}, {0}, {0, 1}};
  SmallVector<Value> stored;
  for (auto [i, place] : llvm::enumerate(places)) {
    Value target = b.slice(forall.getRegionIterArgs()[i], place.offsets, place.sizes, place.keep);
    stored.push_back(b.generic(iterators[i], {dims[i], dims[i]}, tiles[i], target, TileBuilder::same)[0]);
  }
  b.setInsertionPointToEnd(forall.getTerminator().getBody());
  for (auto [i, place] : llvm::enumerate(places))
    b.insertInParallel(stored[i], forall.getRegionIterArgs()[i], place.offsets, place.sizes);
  return llvm::to_vector_of<Value>(forall.getResults());
}

/// Joins the results of a task's parts, `parts`, as returned by emitEachPart(). `count` is the number of parts. The
/// joined output is not yet divided by the sum.
AttentionEmitter::Running AttentionEmitter::join(const Task &task, Value count, ValueRange parts) {
  int64_t rows = plan.sharing * task.blocks.rows;
  SmallVector<Value> none = {b.filled({rows}, -INFINITY, element), b.filled({rows}, 0.0, precision),
                             b.filled({rows, valueSize}, 0.0, element)};
  auto loop = scf::ForOp::create(b, b.index(0), count, b.index(1), none);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  PartPlace place = partPlace(task, loop.getInductionVar()),
            wide = partPlace(task, loop.getInductionVar(), {valueSize});
  Value highest = b.slice(parts[0], place.offsets, place.sizes, place.keep);
  Value sum = b.slice(parts[1], place.offsets, place.sizes, place.keep);
  Value output = b.slice(parts[2], wide.offsets, wide.sizes, wide.keep);
  ValueRange soFar = loop.getRegionIterArgs();
  Rescaled rescaled = rescale({soFar[0], soFar[1], soFar[2], Value()}, highest);
  Value factor = b.generic("p", {{0}, {0}, {0}}, {highest, rescaled.shift}, b.empty({rows}, precision),
                           [&](TileBuilder &inner, ValueRange args) {
                             return SmallVector<Value>{expOfDifference(inner, args[0], args[1])};
                           })[0];
  auto addScaled = [](TileBuilder &inner, ValueRange args) {
    Value scaled = arith::MulFOp::create(inner, args[1], inner.cast(args[0], args[1].getType()));
    return SmallVector<Value>{arith::AddFOp::create(inner, args[2], scaled)};
  };
  sum = b.generic("p", {{0}, {0}, {0}}, {factor, sum}, rescaled.sum, addScaled)[0];
  output = b.generic("pp", {{0}, {0, 1}, {0, 1}}, {factor, output}, rescaled.output, addScaled)[0];
  scf::YieldOp::create(b, ValueRange{rescaled.maximum, sum, output});
  return {loop.getResult(0), loop.getResult(1), loop.getResult(2), Value()};
}

/// Emits the attention of all heads, with the keys of each head divided into parts, into `result`.
Value AttentionEmitter::emitParts(const QueryBlocks &blocks, Value result) {
  Value count =
      b.createOrFold<arith::CeilDivUIOp>(b.index(keys.emitOnce(b, b.getLoc())), b.index(plan.blockK * plan.parts->steps));
  SmallVector<Value> parts = emitEachPart(blocks, count);
  SmallVector<OpFoldResult> counts = {batch.emit(b, b.getLoc()), b.getIndexAttr(heads / plan.sharing)};
  auto forall = scf::ForallOp::create(b, counts, result, /*mapping=*/std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forall.getBody());
  Task task = makeTask(blocks, forall.getInductionVars(), b.index(0));
  Running joined = join(task, count, parts);
  Layout layout = op.getResultLayout();
  SmallVector<OpFoldResult> offsets = headOffsets(layout, task.batch, task.head, task.firstQuery);
  SmallVector<Extent> sizes = headSizes(layout, task.queries, valueSize, plan.sharing);
  Value place = b.slice(forall.getRegionIterArgs()[0], offsets, sizes, {1, 2, 3});
  Value stored = storeRows(normalized(task, joined.output, joined.sum, /*rows=*/true), layout, place);
  b.setInsertionPointToEnd(forall.getTerminator().getBody());
  b.insertInParallel(stored, forall.getRegionIterArgs()[0], offsets, sizes);
  return forall.getResult(0);
}
