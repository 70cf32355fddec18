//===- BlockScores.cpp - scores of a block of keys ------------------------===//

#include "BlockScores.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

Value heddle::emitOfEachHead(TileBuilder &b, const TaskQueries &queries, Value scores,
                             llvm::function_ref<Value(const TaskQueries &, Value)> change) {
  auto type = cast<RankedTensorType>(scores.getType());
  int64_t columns = type.getDimSize(1), rows = queries.rows;
  SmallVector<Extent> sizes = {rows, columns};
  if (ShapedType::isDynamic(columns))
    sizes[1] = tensor::getMixedSize(b, b.getLoc(), scores, 1);
  for (int64_t head = 0; head * rows < type.getDimSize(0); ++head) {
    TaskQueries ofHead = queries;
    ofHead.head = b.add(queries.head, b.index(head));
    SmallVector<OpFoldResult> offsets = {b.getIndexAttr(head * rows), b.getIndexAttr(0)};
    Value part = b.slice(scores, offsets, sizes, {0, 1});
    Value changed = change(ofHead, part);
    if (changed != part)
      scores = b.insert(changed, scores, offsets, sizes);
  }
  return scores;
}

Value BlockScores::emit(const AttentionTask &task, Value firstKey, const Extent &count, Value into, bool seesAll) {
  Value result = products.emitScores(task, firstKey, count, task.factor, into);
  auto change = [&](const TaskQueries &queries, Value scores) {
    scores = operands.emitScores(queries, firstKey, count, scores);
    return seesAll ? scores : emitAtEdges(queries, task.range, firstKey, count, scores);
  };
  return dims.areKeysInLanes() ? emitOfEachHead(b, task.queries, result, change) : change(task.queries, result);
}

/// Sets scores of keys that positions remove to -inf. Only blocks at the edge of the visible keys compare positions.
Value BlockScores::emitAtEdges(const TaskQueries &queries, const KeyRange &range, Value firstKey, const Extent &count,
                               Value scores) {
  if (!removesByPosition(op))
    return scores;
  Value edge = range.emitIsEdge(b, firstKey, count);
  if (!count.isFixed()) {
    // This loop of zero or one iterations replaces a branch, because bufferization would copy a slice of dynamic size
    // for a branch.
    Value times = b.createOrFold<arith::IndexCastUIOp>(b.getIndexType(), edge);
    auto once = scf::ForOp::create(b, b.index(0), times, b.index(1), scores);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(once.getBody());
    scf::YieldOp::create(b, emitWithoutRemoved(queries, range, firstKey, once.getRegionIterArg(0)));
    return once.getResult(0);
  }
  auto choice = scf::IfOp::create(b, scores.getType(), edge, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  scf::YieldOp::create(b, emitWithoutRemoved(queries, range, firstKey, scores));
  b.setInsertionPointToStart(choice.elseBlock());
  scf::YieldOp::create(b, scores);
  return choice.getResult(0);
}

/// Below, r is the index of a score's key, counted from `firstKey`, and l is the index of its query, counted from the
/// first query of the task.
Value BlockScores::emitWithoutRemoved(const TaskQueries &queries, const KeyRange &range, Value firstKey, Value scores) {
  Type i32 = b.getI32Type(), element = getElementTypeOrSelf(scores);
  auto narrow = [&](Value value) { return b.createOrFold<arith::IndexCastOp>(i32, value); };
  Value shift = b.sub(firstKey, queries.firstQuery);
  Value above = range.removeAbove ? narrow(b.sub(shift, range.removeAbove)) : Value();
  Value below = range.removeBelow ? narrow(b.sub(shift, range.removeBelow)) : Value();
  Value valid = op.getKeyLengths() ? narrow(b.sub(range.length, firstKey)) : Value();
  return b.generic("pp", {{0, 1}}, {}, scores, [&](TileBuilder &inner, ValueRange args) {
    Value key = arith::IndexCastOp::create(inner, i32, linalg::IndexOp::create(inner, dims.key));
    Value query = arith::IndexCastOp::create(inner, i32, linalg::IndexOp::create(inner, dims.query));
    Value score = args[0], gone = inner.real(-INFINITY, element);
    if (above) { // kept: l >= r + shift - removeAbove
      Value from = arith::AddIOp::create(inner, key, above);
      Value keep = arith::CmpIOp::create(inner, arith::CmpIPredicate::sge, query, from);
      score = arith::SelectOp::create(inner, keep, score, gone);
    }
    if (below) { // kept: l <= r + shift - removeBelow
      Value to = arith::AddIOp::create(inner, key, below);
      Value keep = arith::CmpIOp::create(inner, arith::CmpIPredicate::sle, query, to);
      score = arith::SelectOp::create(inner, keep, score, gone);
    }
    if (valid) {
      Value keep = arith::CmpIOp::create(inner, arith::CmpIPredicate::slt, key, valid);
      score = arith::SelectOp::create(inner, keep, score, gone);
    }
    return SmallVector<Value>{score};
  })[0];
}
