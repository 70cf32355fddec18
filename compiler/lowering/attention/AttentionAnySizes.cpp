//===- AttentionAnySizes.cpp - run-time numbers of queries and keys -------===//
//
// The numbers of queries and keys may be known only at run time.
//
// A block of queries consists of whole vectors. The last block has only as many
// vectors as it needs, and its lanes beyond the queries repeat the last query;
// their results are computed, but not stored. There is one copy of the code for
// a block of keys: in the last block, its loops end with the last key.
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace heddle;

/// Emits variants of the task: for a block of `lanes` queries, for a block with one vector of queries less, and so on.
/// At run time, the task uses the variant with the narrowest block that contains all its queries. `places` contains the
/// slices for the results. Returns the written slices.
SmallVector<Value> AttentionEmitter::emitWidths(Task &task, ValueRange places, int64_t lanes) {
  task.blocks = {0, 0, lanes, lanes};
  if (lanes <= tiles.lanes)
    return emitTask(task, [&](unsigned i) { return places[i]; });
  Value fills =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, b.index(task.queries), b.index(lanes - tiles.lanes));
  auto choice = scf::IfOp::create(b, places.getTypes(), fills, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  Task narrow = task;
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, emitTask(task, [&](unsigned i) { return places[i]; }));
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, emitWidths(narrow, places, lanes - tiles.lanes));
  return llvm::to_vector_of<Value>(choice.getResults());
}

/// Returns a tensor [lanes][columns] with a row of `from` for each lane, after `change` was applied to its elements.
/// The first lane contains the row at the indices `first`, the next lanes contain the rows after it, and lanes beyond
/// the task's queries repeat the last row. `queryAt` and `columnAt` are the dimensions of `from` along queries and
/// columns. Only `count` columns are read; the remaining columns of the result are undefined.
Value AttentionEmitter::queryRows(Task &task, Value from, ArrayRef<OpFoldResult> first, unsigned queryAt,
                                  unsigned columnAt, const Extent &count, int64_t columns, TileBuilder::Body change) {
  Type type = cast<RankedTensorType>(from.getType()).getElementType();
  Value last = b.sub(b.index(task.queries), b.index(1)), position = b.index(first[queryAt]);
  auto loop = scf::ForOp::create(b, b.index(0), b.index(task.blocks.lanes), b.index(1),
                                 b.empty({task.blocks.lanes, columns}, type));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<OpFoldResult> offsets(first);
  SmallVector<Extent> sizes(first.size(), 1);
  offsets[queryAt] = b.add(position, b.min(loop.getInductionVar(), last));
  sizes[columnAt] = count;
  SmallVector<OpFoldResult> at = {loop.getInductionVar(), b.getIndexAttr(0)};
  SmallVector<Extent> used = {1, count};
  Value line = b.slice(loop.getRegionIterArg(0), at, used, {1});
  line = b.generic("p", {{0}, {0}}, b.slice(from, offsets, sizes, {columnAt}), line, change)[0];
  scf::YieldOp::create(b, b.insert(line, loop.getRegionIterArg(0), at, used));
  return loop.getResult(0);
}

/// Returns the transposed rows.
Value AttentionEmitter::transposed(Value rows) {
  auto type = cast<RankedTensorType>(rows.getType());
  Value columns = b.empty({type.getDimSize(1), type.getDimSize(0)}, type.getElementType());
  return b.generic("pp", {{1, 0}, {0, 1}}, rows, columns, TileBuilder::same)[0];
}

/// Returns a tensor [lanes] with an element of `from` for each lane. The first lane contains the element at the indices
/// `first`, the next lanes contain the elements after it along dimension `queryAt`, and lanes beyond the task's queries
/// repeat the last element.
Value AttentionEmitter::queryElements(Task &task, Value from, ArrayRef<OpFoldResult> first, unsigned queryAt) {
  Type type = cast<RankedTensorType>(from.getType()).getElementType();
  Value last = b.sub(b.index(task.queries), b.index(1)), position = b.index(first[queryAt]);
  auto loop = scf::ForOp::create(b, b.index(0), b.index(task.blocks.lanes), b.index(1),
                                 b.empty({task.blocks.lanes}, type));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> at = llvm::map_to_vector(first, [&](OpFoldResult index) { return b.index(index); });
  at[queryAt] = b.add(position, b.min(loop.getInductionVar(), last));
  Value element = tensor::ExtractOp::create(b, from, at);
  Value filled = tensor::InsertOp::create(b, element, loop.getRegionIterArg(0), loop.getInductionVar());
  scf::YieldOp::create(b, filled);
  return loop.getResult(0);
}

/// Emits the online softmax over the blocks of keys that a query of the task reads.
AttentionEmitter::Running AttentionEmitter::overAnyKeys(Task &task, Running running) {
  auto loop = scf::ForOp::create(b, task.blockBegin, task.blockEnd, b.index(1), running.list());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Running inside = Running::from(loop.getRegionIterArgs());
  Value whole = inside.scores, first = b.mul(loop.getInductionVar(), plan.blockK);
  Value count = b.min(b.index(plan.blockK), b.sub(task.range.length, first));
  if (tiles.inRows) {
    inside = onlineInVectors(task, first, count, inside);
  } else {
    SmallVector<OpFoldResult> origin(2, b.getIndexAttr(0));
    SmallVector<Extent> used = {count, task.blocks.lanes};
    inside.scores = b.slice(whole, origin, used, {0, 1});
    inside = online(task, first, count, inside);
    inside.scores = b.insert(inside.scores, whole, origin, used);
  }
  scf::YieldOp::create(b, inside.list());
  return Running::from(loop.getResults());
}

/// Copies the rows of the task's queries from `rows` [lanes][columns] to `target`.
Value AttentionEmitter::storeSome(Task &task, Value rows, const Extent &columns, Value target) {
  SmallVector<OpFoldResult> origin(2, b.getIndexAttr(0));
  return b.generic("pp", {{0, 1}, {0, 1}}, b.slice(rows, origin, {task.queries, columns}, {0, 1}), target,
                   TileBuilder::same)[0];
}

/// Divides the weights of all keys (the exponentials of their scores), [keys][lanes], by their sums, and writes the
/// results transposed to `target`.
Value AttentionEmitter::storeAnyKeys(Task &task, const Running &running, Value target) {
  Value all = b.index(keys);
  int64_t lanes = task.blocks.lanes, square = tiles.lanes;
  SmallVector<OpFoldResult> origin(2, b.getIndexAttr(0));
  SmallVector<Extent> used = {all, lanes};
  Value weights = normalized(task, b.slice(running.scores, origin, used, {0, 1}), running.sum, /*rows=*/false);
  weights = b.insert(weights, running.scores, origin, used);
  auto loop = scf::ForOp::create(b, b.index(0), all, b.index(square), target);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value first = loop.getInductionVar();
  Extent columns = b.min(b.index(square), b.sub(all, first));
  Value part = b.slice(weights, {first, b.getIndexAttr(0)}, {square, lanes}, {0, 1});
  Value lines = b.generic("pp", {{1, 0}, {0, 1}}, part, b.empty({lanes, square}, element),
                          [&](TileBuilder &inner, ValueRange args) {
                            return SmallVector<Value>{leaving(inner, args[0])};
                          })[0];
  SmallVector<OpFoldResult> at = {b.getIndexAttr(0), first};
  SmallVector<Extent> sizes = {task.queries, columns};
  Value place = b.slice(loop.getRegionIterArg(0), at, sizes, {0, 1});
  scf::YieldOp::create(b, b.insert(storeSome(task, lines, columns, place), loop.getRegionIterArg(0), at, sizes));
  return loop.getResult(0);
}
