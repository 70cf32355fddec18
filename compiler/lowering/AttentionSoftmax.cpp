//===- AttentionSoftmax.cpp - softmax along the keys, sum of values --------===//
//
// Maxima are cmpf + select, not maximumf: a NaN score need not reach the maximum
// to make its whole row NaN (its weight and with it the sum are), and this is one
// instruction. Nothing here may assume that scores are numbers or finite.
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;

static Value larger(TileBuilder &b, Value x, Value y) {
  Value above = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, y);
  return arith::SelectOp::create(b, above, x, y);
}

/// What to subtract before exp: a row that has met only -inf subtracts 0, because
/// -inf - -inf is NaN.
static Value shiftOf(TileBuilder &b, Value maximum) {
  Value none = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, maximum, b.real(-INFINITY, maximum.getType()));
  return arith::SelectOp::create(b, none, b.real(0.0, maximum.getType()), maximum);
}

static Value columnMaximum(TileBuilder &b, Value scores) {
  auto type = cast<RankedTensorType>(scores.getType());
  Value lowest = b.filled(type.getShape().drop_front(), -INFINITY, type.getElementType());
  return b.generic("rp", {{0, 1}, {1}}, scores, lowest, [](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{larger(inner, args[0], args[1])};
  })[0];
}

/// weights = exp(scores - shift), and their sum added to `sum`.
static SmallVector<Value> exponentials(TileBuilder &b, Value shift, Value scores, Value sum) {
  return b.generic("rp", {{1}, {0, 1}, {1}}, shift, {scores, sum}, [](TileBuilder &inner, ValueRange args) {
    Value weight = math::ExpOp::create(inner, arith::SubFOp::create(inner, args[1], args[0]));
    return SmallVector<Value>{weight, arith::AddFOp::create(inner, args[2], weight)};
  });
}

/// output [Dv][lanes] += values [keys][Dv] transposed x weights [keys][lanes].
Value AttentionEmitter::weighted(Task &task, Value firstKey, int64_t count, Value weights, Value output) {
  Value lines = b.slice(task.values, {firstKey, b.getIndexAttr(0)}, {count, valueSize}, {0, 1});
  return b.generic("ppr", {{2, 0}, {2, 1}, {0, 1}}, {lines, weights}, output, [](TileBuilder &inner, ValueRange args) {
    Value product = arith::MulFOp::create(inner, args[0], args[1]);
    return SmallVector<Value>{arith::AddFOp::create(inner, args[2], product)};
  })[0];
}

/// One step of the online softmax: maximum, sum and output so far are rescaled to
/// the new maximum, then the block is added.
AttentionEmitter::Running AttentionEmitter::online(Task &task, Value firstKey, int64_t count, Running running) {
  Value block = scores(task, firstKey, count, running.scores);
  block = withoutRemoved(task, firstKey, count, block);
  Value highest = columnMaximum(b, block);
  // In place in all four: the old maximum is read and the new one written by one op.
  Value factor = b.empty({task.blocks.lanes}, element);
  SmallVector<Value> rescaled =
      b.generic("p", {{0}, {0}, {0}, {0}}, {}, {running.maximum, highest, factor, running.sum},
                [](TileBuilder &inner, ValueRange args) {
                  Value maximum = larger(inner, args[1], args[0]);
                  Value shift = shiftOf(inner, maximum);
                  Value factor = math::ExpOp::create(inner, arith::SubFOp::create(inner, args[0], shift));
                  Value sum = arith::MulFOp::create(inner, args[3], factor);
                  return SmallVector<Value>{maximum, shift, factor, sum};
                });
  SmallVector<Value> weights = exponentials(b, rescaled[1], block, rescaled[3]);
  Value output = b.generic("pp", {{1}, {0, 1}}, rescaled[2], running.output, [](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{arith::MulFOp::create(inner, args[1], args[0])};
  })[0];
  return {rescaled[0], weights[1], weighted(task, firstKey, count, weights[0], output), weights[0]};
}

/// Softmax of all keys in one block. Where the weights are a result they are
/// normalized before the values are summed.
AttentionEmitter::Running AttentionEmitter::atOnce(Task &task, Running running) {
  Value first = b.index(0);
  Value block = withoutRemoved(task, first, keys, scores(task, first, keys, running.scores));
  Value shift = b.generic("p", {{0}}, {}, columnMaximum(b, block), [](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{shiftOf(inner, args[0])};
  })[0];
  SmallVector<Value> weights = exponentials(b, shift, block, running.sum);
  running.scores = op.getWithWeights() ? normalized(weights[0], weights[1]) : weights[0];
  running.sum = weights[1];
  running.output = weighted(task, first, keys, running.scores, running.output);
  return running;
}

/// tile / sum. A sum is 0 only where all scores were -inf: else the largest score
/// added exp(0).
Value AttentionEmitter::normalized(Value tile, Value sum) {
  bool zeros = op.getEmptyRow() == EmptyRow::Zeros;
  Type type = element;
  Value inverse = b.generic("p", {{0}, {0}}, sum, b.empty(cast<RankedTensorType>(sum.getType()).getShape(), element),
                            [&](TileBuilder &inner, ValueRange args) {
    Value inverse = arith::DivFOp::create(inner, inner.real(1.0, type), args[0]);
    if (zeros) {
      Value none = arith::CmpFOp::create(inner, arith::CmpFPredicate::OEQ, args[0], inner.real(0.0, type));
      inverse = arith::SelectOp::create(inner, none, inner.real(0.0, type), inverse);
    }
    return SmallVector<Value>{inverse};
  })[0];
  return b.generic("pp", {{1}, {0, 1}}, inverse, tile, [](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{arith::MulFOp::create(inner, args[1], args[0])};
  })[0];
}

/// The tile's first `rows` lanes become rows of the slice of `into`.
Value AttentionEmitter::storeTransposed(Value tile, Value into, int64_t rows, ArrayRef<OpFoldResult> offsets,
                                        ArrayRef<int64_t> sizes, ArrayRef<unsigned> keep) {
  int64_t columns = cast<RankedTensorType>(tile.getType()).getDimSize(0);
  SmallVector<OpFoldResult> origin(2, b.getIndexAttr(0));
  Value used = b.slice(tile, origin, {columns, rows}, {0, 1});
  Value target = b.slice(into, offsets, sizes, keep);
  return b.generic("pp", {{1, 0}, {0, 1}}, used, target, [](TileBuilder &, ValueRange args) {
    return SmallVector<Value>{args[0]};
  })[0];
}
