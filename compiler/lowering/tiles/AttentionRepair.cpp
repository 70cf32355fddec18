//===- AttentionRepair.cpp - results of attention that are not finite -----===//

#include "AttentionRepair.h"
#include "ChunkLoop.h"
#include "TileParts.h"

#include "attention/KeyRange.h"

#include "Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// The number of elements of a row that a thread loads at once.
static constexpr int64_t elementsAtOnce = 16;

/// Emits the score of a query and the key `number`.
Value AttentionRepair::emitScore(OpBuilder &inner, const Query &query, Value number) {
  Value zero = emitFloat(inner, loc, getElementTypeOrSelf(op.getQuery()), 0.0);
  auto addProducts = [&](OpBuilder &loop, ValueRange columns, ValueRange, ValueRange carried) {
    Value sum = carried[0];
    for (Value column : columns) {
      Value left = operands.query.emitRead(loop, loc, op.getQuery(), {query.batch, query.head, query.row, column});
      Value right = operands.key.emitRead(loop, loc, op.getKey(), {query.batch, query.keyHead, number, column});
      sum = math::FmaOp::create(loop, loc, score.emitFactor(loop, loc, left), score.emitFactor(loop, loc, right), sum);
    }
    return SmallVector<Value>{sum};
  };
  Value product = forEachChunk(inner, loc, operands.query.size, elementsAtOnce, zero, addProducts)[0];
  auto elementOf = [&](const BroadcastOperand &operand) {
    return operand.tensor ? operand.emitElement(inner, loc, query.batch, query.head, query.row, number) : Value();
  };
  return score.emit(inner, loc, product, elementOf(operands.bias), elementOf(operands.mask), [&](Value changed) {
    return operands.region.emit(inner, loc, changed, query.batch, query.head, query.row, number);
  });
}

/// Emits the key head of a query, the range of the keys that the query sees, and the number to subtract from their
/// scores.
AttentionRepair::Query AttentionRepair::emitQuery(TileBuilder &inner, Value batch, Value head, Value row) {
  Query query = {batch, head, row, Value(), Value(), Value(), Value()};
  query.keyHead = inner.createOrFold<arith::DivUIOp>(head, inner.index(operands.query.heads / operands.key.heads));
  // A single query sees exactly the keys of its range.
  KeyRange range = KeyRange::emit(inner, op, operands.query.rows, operands.key.rows, {batch, row, /*rows=*/1});
  query.firstKey = range.begin;
  query.endOfKeys = range.end;
  Value none = inner.real(-INFINITY, getElementTypeOrSelf(op.getResult()));
  auto largest = scf::ForOp::create(
      inner, loc, range.begin, range.end, inner.index(1), none,
      [&](OpBuilder &loop, Location, Value number, ValueRange carried) {
        Value scoreOfKey = emitScore(loop, query, number);
        scf::YieldOp::create(loop, loc, Value(arith::MaxNumFOp::create(loop, loc, carried[0], scoreOfKey)));
      });
  query.shift = score.emitShift(inner, loc, score.emitMaximum(inner, loc, largest.getResult(0), none));
  return query;
}

/// Emits the loop over the keys of a query. `add` adds a key with its weight to sums, which begin as `start`. Returns
/// the last sums, and the sum of the weights of all keys.
AttentionRepair::Sums AttentionRepair::emitSums(OpBuilder &inner, const Query &query, Value start, AddKey add) {
  Type element = getElementTypeOrSelf(op.getResult());
  Value zero = emitFloat(inner, loc, element, 0.0), infinity = emitFloat(inner, loc, element, -INFINITY);
  auto sums = scf::ForOp::create(
      inner, loc, query.firstKey, query.endOfKeys, arith::ConstantIndexOp::create(inner, loc, 1),
      ValueRange{start, zero}, [&](OpBuilder &loop, Location, Value number, ValueRange carried) {
        Value scoreOfKey = emitScore(loop, query, number);
        Value isRemoved = arith::CmpFOp::create(loop, loc, arith::CmpFPredicate::OEQ, scoreOfKey, infinity);
        Value weight = score.emitScaled(loop, loc, score.emitWeight(loop, loc, scoreOfKey, query.shift));
        weight = score.emitFactor(loop, loc, weight);
        Value total = arith::AddFOp::create(loop, loc, carried[1], weight);
        scf::YieldOp::create(loop, loc, ValueRange{add(loop, {number, weight, isRemoved}, carried[0]), total});
      });
  return {sums.getResult(0), sums.getResult(1)};
}

/// Emits the sum of a column after a key is added, to which a removed key contributes nothing.
Value AttentionRepair::emitAdded(OpBuilder &inner, const Query &query, const WeightedKey &key, Value column,
                                 Value sum) {
  Value valueOfKey = score.emitFactor(
      inner, loc, operands.value.emitRead(inner, loc, op.getValue(), {query.batch, query.keyHead, key.number, column}));
  Value next = math::FmaOp::create(inner, loc, key.weight, valueOfKey, sum);
  return arith::SelectOp::create(inner, loc, key.isRemoved, sum, next);
}

/// Emits an element of the result. If the sum of the weights is 0 or NaN, it determines the result alone.
Value AttentionRepair::emitElement(OpBuilder &inner, Value sum, Value total) {
  Value zero = emitFloat(inner, loc, total.getType(), 0.0);
  Value hasKeys = arith::CmpFOp::create(inner, loc, arith::CmpFPredicate::OGT, total, zero);
  sum = arith::SelectOp::create(inner, loc, hasKeys, sum, zero);
  return score.emitResult(inner, loc, sum, score.emitInverse(inner, loc, total));
}

/// Emits whether x is finite: x - x is 0 if it is, and NaN otherwise.
static Value emitIsFinite(OpBuilder &b, Location loc, Value x) {
  Value difference = arith::SubFOp::create(b, loc, x, x);
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, difference, difference);
}

/// Emits the loop that replaces the first `count` elements of a row, `part` [1, Dv].
static Value emitReplaced(OpBuilder &b, Location loc, Value part, Value count,
                          llvm::function_ref<Value(OpBuilder &, Value element)> replace) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0), one = arith::ConstantIndexOp::create(b, loc, 1);
  auto loop = scf::ForOp::create(
      b, loc, zero, count, one, part, [&](OpBuilder &inner, Location, Value column, ValueRange carried) {
        Value element = tensor::ExtractOp::create(inner, loc, carried[0], ValueRange{zero, column});
        Value changed =
            tensor::InsertOp::create(inner, loc, replace(inner, element), carried[0], ValueRange{zero, column});
        scf::YieldOp::create(inner, loc, changed);
      });
  return loop.getResult(0);
}

/// Emits the task that computes the result of one query, `part` [1, Dv], again if this is necessary. One pass over the
/// keys adds up the sums of all columns in `part` itself; a pass for each column would take too long. (In addition,
/// Mesa's llvmpipe ends the loops of a thread after 65535 steps in total.)
Value AttentionRepair::emitRow(ValueRange at, Value part) {
  TileBuilder t(loc, b);
  Value zero = t.real(0.0, getElementTypeOrSelf(part)), start = t.index(0);
  Value isFinite = emitIsFinite(t, loc, tensor::ExtractOp::create(t, part, ValueRange{start, start}));
  auto choice = scf::IfOp::create(
      t, isFinite,
      [&](OpBuilder &then, Location) { scf::YieldOp::create(then, loc, ValueRange{start, start, start, start, zero}); },
      [&](OpBuilder &otherwise, Location) {
        TileBuilder inner(loc, otherwise);
        Query query = emitQuery(inner, at[0], at[1], at[2]);
        scf::YieldOp::create(inner, ValueRange{inner.index(operands.result.size), query.keyHead, query.firstKey,
                                               query.endOfKeys, query.shift});
      });
  // The following loops have no steps if the result is finite.
  ValueRange known = choice.getResults();
  Query query = {at[0], at[1], at[2], known[1], known[2], known[3], known[4]};
  part = emitReplaced(b, loc, part, known[0], [&](OpBuilder &, Value) { return zero; });
  auto addKey = [&](OpBuilder &loop, const WeightedKey &key, Value carried) {
    auto addColumns = [&](OpBuilder &inner, ValueRange columns, ValueRange, ValueRange row) {
      SmallVector<Value> sums;
      for (Value column : columns)
        sums.push_back(emitAdded(inner, query, key, column,
                                 tensor::ExtractOp::create(inner, loc, row[0], ValueRange{start, column})));
      Value changed = row[0];
      for (auto [sum, column] : llvm::zip_equal(sums, columns))
        changed = tensor::InsertOp::create(inner, loc, sum, changed, ValueRange{start, column});
      return SmallVector<Value>{changed};
    };
    return forEachChunk(loop, loc, operands.result.size, elementsAtOnce, carried, addColumns)[0];
  };
  Sums sums = emitSums(b, query, part, addKey);
  return emitReplaced(b, loc, sums.weighted, known[0],
                      [&](OpBuilder &inner, Value sum) { return emitElement(inner, sum, sums.total); });
}

Value AttentionRepair::emitAgain(OpBuilder &inner, Value batch, Value head, Value row, Value column, Value found) {
  auto yield = [&](OpBuilder &branch, Value value) { scf::YieldOp::create(branch, loc, value); };
  Value isFinite = emitIsFinite(inner, loc, found);
  auto choice = scf::IfOp::create(
      inner, loc, isFinite, [&](OpBuilder &then, Location) { yield(then, found); },
      [&](OpBuilder &otherwise, Location) {
        TileBuilder t(loc, otherwise);
        Query query = emitQuery(t, batch, head, row);
        auto addKey = [&](OpBuilder &loop, const WeightedKey &key, Value sum) {
          return emitAdded(loop, query, key, column, sum);
        };
        Sums sums = emitSums(t, query, t.real(0.0, found.getType()), addKey);
        yield(t, emitElement(t, sums.weighted, sums.total));
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
    return TaskPart{emitRow(at, emitPart(b, loc, out, position, sizes)), position, sizes};
  });
}
