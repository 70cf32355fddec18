//===- AttentionRepair.cpp - results of attention that are not finite -----===//

#include "AttentionRepair.h"
#include "TileParts.h"

#include "attention/KeyRange.h"

#include "Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// Emits the score of a query and the key `number`.
Value AttentionRepair::emitScore(OpBuilder &inner, const Query &query, Value number) {
  auto constant = [&](int64_t index) -> Value { return arith::ConstantIndexOp::create(inner, loc, index); };
  Value zero = emitFloat(inner, loc, getElementTypeOrSelf(op.getQuery()), 0.0);
  auto products = scf::ForOp::create(
      inner, loc, constant(0), constant(operands.query.size), constant(1), zero,
      [&](OpBuilder &loop, Location, Value column, ValueRange sum) {
        Value left = operands.query.emitRead(loop, loc, op.getQuery(), {query.batch, query.head, query.row, column});
        Value right = operands.key.emitRead(loop, loc, op.getKey(), {query.batch, query.keyHead, number, column});
        left = score.emitFactor(loop, loc, left);
        right = score.emitFactor(loop, loc, right);
        scf::YieldOp::create(loop, loc, Value(math::FmaOp::create(loop, loc, left, right, sum[0])));
      });
  auto elementOf = [&](const BroadcastOperand &operand) {
    return operand.tensor ? operand.emitElement(inner, loc, query.batch, query.head, query.row, number) : Value();
  };
  return score.emit(inner, loc, products.getResult(0), elementOf(operands.bias), elementOf(operands.mask));
}

/// Emits the number to subtract from the scores of a query, and the sum of the weights of all keys.
AttentionRepair::Softmax AttentionRepair::emitSoftmax(OpBuilder &inner, const Query &query) {
  Type element = getElementTypeOrSelf(op.getResult());
  Value zero = emitFloat(inner, loc, element, 0.0), infinity = emitFloat(inner, loc, element, -INFINITY);
  auto [begin, end] = query.keys;
  Value step = arith::ConstantIndexOp::create(inner, loc, 1);
  auto largest = scf::ForOp::create(
      inner, loc, begin, end, step, infinity, [&](OpBuilder &loop, Location, Value number, ValueRange carried) {
        Value scoreOfKey = emitScore(loop, query, number);
        scf::YieldOp::create(loop, loc, Value(arith::MaxNumFOp::create(loop, loc, carried[0], scoreOfKey)));
      });
  Value shift = score.emitShift(inner, loc, score.emitMaximum(inner, loc, largest.getResult(0), infinity));
  auto total = scf::ForOp::create(
      inner, loc, begin, end, step, zero, [&](OpBuilder &loop, Location, Value number, ValueRange carried) {
        Value weight = score.emitWeight(loop, loc, emitScore(loop, query, number), shift);
        weight = score.emitFactor(loop, loc, weight);
        scf::YieldOp::create(loop, loc, Value(arith::AddFOp::create(loop, loc, carried[0], weight)));
      });
  return {shift, total.getResult(0)};
}

/// Emits one element of the result of a query.
Value AttentionRepair::emitElement(OpBuilder &inner, const Query &query, const Softmax &softmax, Value column) {
  Type element = getElementTypeOrSelf(op.getResult());
  Value zero = emitFloat(inner, loc, element, 0.0), infinity = emitFloat(inner, loc, element, -INFINITY);
  auto [begin, end] = query.keys;
  auto sum = scf::ForOp::create(
      inner, loc, begin, end, arith::ConstantIndexOp::create(inner, loc, 1), zero,
      [&](OpBuilder &loop, Location, Value number, ValueRange carried) {
        Value scoreOfKey = emitScore(loop, query, number);
        Value weight = score.emitFactor(loop, loc, score.emitWeight(loop, loc, scoreOfKey, softmax.shift));
        Value valueOfKey = score.emitFactor(
            loop, loc, operands.value.emitRead(loop, loc, op.getValue(), {query.batch, query.keyHead, number, column}));
        Value next = math::FmaOp::create(loop, loc, weight, valueOfKey, carried[0]);
        Value isRemoved = arith::CmpFOp::create(loop, loc, arith::CmpFPredicate::OEQ, scoreOfKey, infinity);
        scf::YieldOp::create(loop, loc, Value(arith::SelectOp::create(loop, loc, isRemoved, carried[0], next)));
      });
  return score.emitResult(inner, loc, sum.getResult(0), score.emitInverse(inner, loc, softmax.total));
}

/// Emits whether x is finite: x - x is 0 if it is, and NaN otherwise.
static Value emitIsFinite(OpBuilder &b, Location loc, Value x) {
  Value difference = arith::SubFOp::create(b, loc, x, x);
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, difference, difference);
}

/// Emits the key head of a query and the range of keys that it sees. A single query sees exactly the keys of its range.
void AttentionRepair::emitKeys(TileBuilder &t, Query &query) {
  query.keyHead = t.createOrFold<arith::DivUIOp>(query.head, t.index(operands.query.heads / operands.key.heads));
  KeyRange range =
      KeyRange::emit(t, op, operands.query.rows, operands.key.rows, {query.batch, query.row, /*rows=*/1});
  query.keys = {range.begin, range.end};
}

/// Emits the task that computes the result of one query again, in `part` [1, Dv], if this is necessary.
Value AttentionRepair::emitQuery(ValueRange at, Value part) {
  TileBuilder t(loc, b);
  Type element = getElementTypeOrSelf(part);
  Query query = {at[0], at[1], at[2], Value(), {}};
  Value first = tensor::ExtractOp::create(t, part, ValueRange{t.index(0), t.index(0)});
  Value isFinite = emitIsFinite(t, loc, first);
  auto softmax = scf::IfOp::create(
      t, isFinite,
      [&](OpBuilder &then, Location) {
        Value none = arith::ConstantIndexOp::create(then, loc, 0), zero = emitFloat(then, loc, element, 0.0);
        scf::YieldOp::create(then, loc, ValueRange{none, none, none, none, zero, zero});
      },
      [&](OpBuilder &otherwise, Location) {
        TileBuilder inner(loc, otherwise);
        emitKeys(inner, query);
        Softmax found = emitSoftmax(inner, query);
        // If the total is 0 or NaN, it determines the result, which is already right.
        Value isWrong = arith::CmpFOp::create(inner, arith::CmpFPredicate::OGT, found.total, inner.real(0.0, element));
        Value columns =
            arith::SelectOp::create(inner, isWrong, inner.index(operands.result.size), inner.index(0));
        auto [begin, end] = query.keys;
        scf::YieldOp::create(inner, ValueRange{columns, query.keyHead, begin, end, found.shift, found.total});
      });
  ValueRange known = softmax.getResults();
  query.keyHead = known[1];
  query.keys = {known[2], known[3]};
  auto loop = scf::ForOp::create(t, t.index(0), known[0], t.index(1), part);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value value = emitElement(b, query, {known[4], known[5]}, loop.getInductionVar());
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value changed = tensor::InsertOp::create(b, loc, value, loop.getRegionIterArg(0),
                                           ValueRange{zero, loop.getInductionVar()});
  scf::YieldOp::create(b, loc, changed);
  return loop.getResult(0);
}

Value AttentionRepair::emitAgain(OpBuilder &inner, Value batch, Value head, Value row, Value column, Value found) {
  auto yield = [&](OpBuilder &branch, Value value) { scf::YieldOp::create(branch, loc, value); };
  Value isFinite = emitIsFinite(inner, loc, found);
  auto choice = scf::IfOp::create(
      inner, loc, isFinite, [&](OpBuilder &then, Location) { yield(then, found); },
      [&](OpBuilder &otherwise, Location) {
        TileBuilder t(loc, otherwise);
        Query query = {batch, head, row, Value(), {}};
        emitKeys(t, query);
        Softmax softmax = emitSoftmax(t, query);
        // If the total is 0 or NaN, it determines the result, which is already right.
        Value isWrong = arith::CmpFOp::create(t, arith::CmpFPredicate::OGT, softmax.total,
                                              t.real(0.0, softmax.total.getType()));
        auto again = scf::IfOp::create(
            t, isWrong, [&](OpBuilder &then, Location) { yield(then, emitElement(then, query, softmax, column)); },
            [&](OpBuilder &then, Location) { yield(then, found); });
        scf::YieldOp::create(t, again.getResults());
      });
  return choice.getResult(0);
}

Value AttentionRepair::emit(Value dest) {
  auto type = cast<RankedTensorType>(op.getResult().getType());
  Extent counts[] = {Sizes(op).of(type.getDimSize(0)), operands.result.heads, operands.result.rows};
  return emitTaskParts(b, loc, counts, dest, [&](OpBuilder &, ValueRange at, Value out) {
    auto [row, column] = operands.result.emitPosition(b, loc, at[0], at[1], OpFoldResult(at[2]));
    SmallVector<OpFoldResult> position = {row, column};
    SmallVector<OpFoldResult> sizes = {b.getIndexAttr(1), b.getIndexAttr(operands.result.size)};
    return TaskPart{emitQuery(at, emitPart(b, loc, out, position, sizes)), position, sizes};
  });
}
