//===- AttentionSoftmax.cpp - softmax and weighted values -----------------===//
//
// A maximum is cmpf and select instead of maximumf, since cmpf and select become
// one instruction. This maximum may ignore a NaN score, but the row of the
// result is NaN nevertheless: the weight of the NaN score is NaN, and so is the
// sum of weights. No code here may assume that scores are finite or not NaN.
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"
#include "Emit.h"
#include "Widened.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace heddle;

/// Returns the larger of x and y, or y if x or y is NaN.
Value AttentionEmitter::largerOf(TileBuilder &b, Value x, Value y) {
  Value above = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, y);
  return arith::SelectOp::create(b, above, x, y);
}

/// Returns the number to subtract before exp: the maximum, or 0 if all scores so far are -inf, since -inf - -inf is
/// NaN.
static Value shiftOf(TileBuilder &b, Value maximum) {
  Value none =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, maximum, b.real(-INFINITY, maximum.getType()));
  return arith::SelectOp::create(b, none, b.real(0.0, maximum.getType()), maximum);
}

/// Returns the largest score of each query.
Value AttentionEmitter::largestOf(Value scores) {
  int64_t rows = cast<RankedTensorType>(scores.getType()).getDimSize(queryDim);
  return largestOf(scores, b.filled({rows}, -INFINITY, element));
}

/// Like the previous function, but includes the values of `into`, and computes the result in `into`.
Value AttentionEmitter::largestOf(Value scores, Value into) {
  return largestOf(alongKeys(), {{0, 1}, {queryDim}}, scores, into);
}

/// Like the previous function, but with arbitrary loops: `iterators` and `dims` are passed to TileBuilder::generic.
Value AttentionEmitter::largestOf(StringRef iterators, ArrayRef<LoopDims> dims, Value scores, Value into) {
  return b.generic(iterators, dims, scores, into, [](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{largerOf(inner, args[0], args[1])};
  })[0];
}

/// Emits exp(x - y) in the precision of the softmax; y must be at least x. If scores are in units of log(2), the
/// exponential is a power of two, which saves two multiplications.
Value AttentionEmitter::expOfDifference(TileBuilder &inner, Value x, Value y) {
  Value difference = arith::SubFOp::create(inner, inner.cast(x, precision), inner.cast(y, precision));
  return emitExpOfNonPositive(inner, inner.getLoc(), difference, /*ofTwo=*/unit != 1.0);
}

/// Returns exp(score - shift), rounded if attention rounds. In a checked task, the weight of a removed key is -0.0,
/// which distinguishes this key from a key whose weight underflowed to 0.
Value AttentionEmitter::weightOf(Task &task, TileBuilder &inner, Value score, Value shift) {
  Value weight = expOfDifference(inner, score, shift);
  if (op.getRounding())
    weight = op.emitRoundedFactor(inner, inner.getLoc(), weight);
  if (!task.checked)
    return weight;
  Value gone = arith::CmpFOp::create(inner, arith::CmpFPredicate::OEQ, score, inner.real(-INFINITY, element));
  return arith::SelectOp::create(inner, gone, inner.real(-0.0, precision), weight);
}

/// Returns whether the weight is -0.0, the mark of a removed key.
Value AttentionEmitter::isMarked(TileBuilder &inner, Value weight) {
  Type word = inner.getIntegerType(element.getIntOrFloatBitWidth());
  Value bits = arith::BitcastOp::create(inner, word, weight);
  Value sign = arith::ConstantOp::create(
      inner, inner.getIntegerAttr(word, APInt::getSignedMinValue(word.getIntOrFloatBitWidth())));
  return arith::CmpIOp::create(inner, arith::CmpIPredicate::eq, bits, sign);
}

/// Returns two tensors: the weights (the exponentials of `scores` minus `shift`), and `sum` plus the sum of these
/// weights. `shift` contains the number to subtract from the scores of each query.
SmallVector<Value> AttentionEmitter::exponentials(Task &task, Value shift, Value scores, Value sum) {
  // With queries in lanes, one op computes the weights and their sum. If the softmax is in f64, the op adds each weight
  // before the weight is rounded to f32. With keys in lanes, the sum is an op of its own, so that whole vectors are
  // added.
  if (!tiles.inRows)
    return b.generic("rp", {{1}, {0, 1}, {1}}, shift, {scores, sum}, [&](TileBuilder &inner, ValueRange args) {
      Value weight = weightOf(task, inner, args[1], args[0]);
      return SmallVector<Value>{inner.cast(weight, element), arith::AddFOp::create(inner, args[2], weight)};
    });
  Value weights = b.generic("pp", {{0}, {0, 1}}, shift, scores, [&](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{inner.cast(weightOf(task, inner, args[1], args[0]), element)};
  })[0];
  sum = b.generic("pr", {{0, 1}, {0}}, weights, sum, [&](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{arith::AddFOp::create(inner, inner.cast(args[0], precision), args[1])};
  })[0];
  return {weights, sum};
}

/// Adds weighted values to the output: output [Dv][lanes] += values^T x weights [keys][lanes], or, in rows, output
/// [queries][Dv] += weights x values [keys][Dv]. In a checked task, removed keys add nothing, even if their value is
/// not finite (0 x inf would be NaN).
Value AttentionEmitter::weighted(Task &task, Value firstKey, const Extent &count, Value weights, Value output) {
  Value lines = b.slice(task.values.numbers, {firstKey, b.getIndexAttr(0)}, {count, valueSize}, {0, 1});
  if (!tiles.inRows)
    lines = emitWidened(b, b.getLoc(), lines);
  lines = asFactor(task, lines, /*along=*/0);
  SmallVector<LoopDims> dims = {{2, 0}, {2, 1}, {0, 1}};
  if (task.blocks.outputInRows)
    dims = {{2, 1}, tiles.inRows ? LoopDims{0, 2} : LoopDims{2, 0}, {0, 1}};
  if (task.blocks.outputInRows && !tiles.inRows)
    weights = b.slice(weights, {b.getIndexAttr(0), b.getIndexAttr(0)}, {count, task.blocks.rows}, {0, 1});
  if (inPairs(task))
    weights = pairs(weights, keyDim);
  Value sums = b.generic("ppr", dims, {lines, weights}, output, [&](TileBuilder &inner, ValueRange args) {
    Value sum = plusProduct(inner, args[0], args[1], args[2]);
    if (task.checked)
      sum = arith::SelectOp::create(inner, isMarked(inner, args[1]), args[2], sum);
    return SmallVector<Value>{sum};
  })[0];
  return prefetchRows(task, sums);
}

/// Returns whether an element of `tile` is infinite or NaN: all bits of its exponent are set.
Value AttentionEmitter::isNotFinite(Value tile) {
  unsigned width = element.getIntOrFloatBitWidth();
  Type word = b.getIntegerType(width);
  auto bits = [&](TileBuilder &inner, const APInt &value) -> Value {
    return arith::ConstantOp::create(inner, inner.getIntegerAttr(word, value));
  };
  int64_t columns = cast<RankedTensorType>(tile.getType()).getDimSize(1);
  APInt zero = APInt::getZero(width);
  Value none = linalg::FillOp::create(b, bits(b, zero), b.empty({columns}, word)).getResult(0);
  Value largest = b.generic("rp", {{0, 1}, {1}}, tile, none, [&](TileBuilder &inner, ValueRange args) {
    Value magnitude = arith::AndIOp::create(inner, arith::BitcastOp::create(inner, word, args[0]),
                                            bits(inner, APInt::getSignedMaxValue(width)));
    return SmallVector<Value>{arith::MaxSIOp::create(inner, args[1], magnitude)};
  })[0];
  auto loop = scf::ForOp::create(b, b.index(0), b.index(columns), b.index(1), bits(b, zero));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value next = tensor::ExtractOp::create(b, largest, loop.getInductionVar());
    scf::YieldOp::create(b, Value(arith::MaxSIOp::create(b, loop.getRegionIterArg(0), next)));
  }
  Value infinity = bits(b, APFloat::getInf(cast<FloatType>(element).getFloatSemantics()).bitcastToAPInt());
  return arith::CmpIOp::create(b, arith::CmpIPredicate::sge, loop.getResult(0), infinity);
}

/// Scales the running values to a maximum that includes `highest`, the largest scores of the next block. One op reads
/// the old maximum and writes the new one, so that the update is in place.
AttentionEmitter::Rescaled AttentionEmitter::rescale(const Running &running, Value highest) {
  Value factor = b.empty(cast<RankedTensorType>(running.maximum.getType()).getShape(), element);
  SmallVector<Value> results =
      b.generic("p", {{0}, {0}, {0}, {0}}, {}, {running.maximum, highest, factor, running.sum},
                [&](TileBuilder &inner, ValueRange args) {
                  Value above = arith::CmpFOp::create(inner, arith::CmpFPredicate::OGT, args[1], args[0]);
                  Value maximum = arith::SelectOp::create(inner, above, emitPowerOf(inner, op, unit, args[1]), args[0]);
                  Value shift = shiftOf(inner, maximum);
                  Value factor = expOfDifference(inner, args[0], shift);
                  Value sum = arith::MulFOp::create(inner, args[3], factor);
                  return SmallVector<Value>{maximum, shift, inner.cast(factor, args[0].getType()), sum};
                });
  Value output =
      b.generic("pp", {{queryDim}, {0, 1}}, results[2], running.output, [](TileBuilder &inner, ValueRange args) {
        return SmallVector<Value>{arith::MulFOp::create(inner, args[1], args[0])};
      })[0];
  return {results[0], results[1], results[3], output};
}

/// Emits one step of the online softmax: rescales maximum, sum and output so far to the new maximum, and adds the
/// block.
AttentionEmitter::Running AttentionEmitter::online(Task &task, Value firstKey, const Extent &count, Running running) {
  Value block = scores(task, firstKey, count, running.scores);
  Rescaled rescaled = rescale(running, largestOf(block));
  SmallVector<Value> weights = exponentials(task, rescaled.shift, block, rescaled.sum);
  weights[0] = timesScales(task.values.scales, firstKey, count, weights[0]);
  Value output = weighted(task, firstKey, count, weights[0], rescaled.output);
  return {rescaled.maximum, weights[1], output, weights[0]};
}

/// Divides the weights of all keys by their sum, and applies the region `probability` to the results. In a checked
/// task, removed keys and all keys of a row that yields zeros are marked by -0.0, and a key keeps this mark only if the
/// region yields 0 for its probability.
Value AttentionEmitter::probabilities(Task &task, const Extent &count, Value weights, Value sum) {
  Value first = b.index(0);
  weights = normalized(task, weights, sum, tiles.inRows, /*none=*/task.checked ? -0.0 : 0.0);
  auto change = [&](Task &of, Value part) {
    return withOperands(of, reads, first, count, part, [&](TileBuilder &inner, ValueRange args) {
      Value weight = args.back(), zero = inner.real(0.0, element);
      if (task.checked)
        weight = arith::AddFOp::create(inner, weight, zero); // -0.0 becomes 0.0, as in leaving()
      Value changed = inRegion(of, inner, op.getProbability(), first, weight, args.drop_back());
      if (task.checked) {
        Value none = arith::CmpFOp::create(inner, arith::CmpFPredicate::OEQ, changed, zero);
        Value gone = arith::AndIOp::create(inner, none, isMarked(inner, args.back()));
        changed = arith::AddFOp::create(inner, changed, zero);
        changed = arith::SelectOp::create(inner, gone, inner.real(-0.0, element), changed);
      }
      return SmallVector<Value>{changed};
    });
  };
  return tiles.inRows ? ofEachHead(task, weights, change) : change(task, weights);
}

/// Emits the softmax of all keys in one block.
AttentionEmitter::Running AttentionEmitter::atOnce(Task &task, Running running) {
  Value first = b.index(0), whole = running.scores;
  Extent count = keys.emitOnce(b, b.getLoc());
  SmallVector<OpFoldResult> origin(2, b.getIndexAttr(0));
  SmallVector<Extent> used;
  if (!count.isFixed()) {
    used = {count, task.blocks.lanes};
    running.scores = b.slice(whole, origin, used, {0, 1});
  }
  Value block = scores(task, first, count, running.scores);
  Value shift = b.generic("p", {{0}}, {}, largestOf(block), [&](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{shiftOf(inner, emitPowerOf(inner, op, unit, args[0]))};
  })[0];
  SmallVector<Value> weights = exponentials(task, shift, block, running.sum);
  if (op.hasProbability()) {
    weights[0] = probabilities(task, count, weights[0], weights[1]);
    // the weights are already divided by their sum
    weights[1] = linalg::FillOp::create(b, b.real(1.0, precision), weights[1]).getResult(0);
  }
  Value output = weighted(task, first, count, weights[0], running.output);
  Value stored = used.empty() ? weights[0] : b.insert(weights[0], whole, origin, used);
  return {Value(), weights[1], output, stored};
}

/// A sum is 0 only if all scores are -inf; otherwise the largest score adds exp(0), or more than 1/2 if attention
/// rounds. The sum is NaN if an exponential is NaN.
std::optional<arith::CmpFPredicate> heddle::sumOfZeros(EmptyRow emptyRow) {
  if (emptyRow == EmptyRow::Nan)
    return std::nullopt;
  return emptyRow == EmptyRow::Zeros ? arith::CmpFPredicate::OEQ : arith::CmpFPredicate::UEQ;
}

/// Returns tile / sum. For queries that yield zeros, the elements are `none` (0.0 or -0.0). `rows`: each row of the
/// tile belongs to a query; otherwise each column does.
Value AttentionEmitter::normalized(Task &task, Value tile, Value sum, bool rows, double none) {
  std::optional<arith::CmpFPredicate> yieldsZeros = sumOfZeros(op.getEmptyRow());
  Type type = precision;
  Value inverse =
      b.generic("p", {{0}, {0}}, sum, b.empty(cast<RankedTensorType>(sum.getType()).getShape(), element),
                [&](TileBuilder &inner, ValueRange args) {
                  Value inverse = arith::DivFOp::create(inner, inner.real(1.0, type), args[0]);
                  if (yieldsZeros) {
                    Value none = arith::CmpFOp::create(inner, *yieldsZeros, args[0], inner.real(0.0, type));
                    inverse = arith::SelectOp::create(inner, none, inner.real(0.0, type), inverse);
                  }
                  return SmallVector<Value>{inner.cast(inverse, element)};
                })[0];
  if (active)
    inverse = withoutInactive(task, inverse);
  unsigned query = rows ? 0 : 1;
  inverse = b.slice(inverse, {b.getIndexAttr(0)}, {cast<RankedTensorType>(tile.getType()).getDimSize(query)}, {0});
  return b.generic("pp", {{query}, {0, 1}}, inverse, tile, [&](TileBuilder &inner, ValueRange args) {
    Value result = arith::MulFOp::create(inner, args[1], args[0]);
    if (!yieldsZeros && !active)
      return SmallVector<Value>{result};
    // In a row that yields zeros, a select replaces the result. Multiplying the result by 0 would not suffice: it may
    // be NaN, because weights of 0 were multiplied by values that are not finite, or because the weights are NaN.
    Value isNone = arith::CmpFOp::create(inner, arith::CmpFPredicate::OEQ, args[0], inner.real(0.0, element));
    return SmallVector<Value>{arith::SelectOp::create(inner, isNone, inner.real(none, element), result)};
  })[0];
}

/// Copies the results of the task's queries to the rows of `target`. `rows`: each row of the tile belongs to a query;
/// otherwise each column does.
Value AttentionEmitter::store(Task &task, Value tile, Value target, bool rows) {
  SmallVector<OpFoldResult> origin(2, b.getIndexAttr(0));
  SmallVector<int64_t> used(cast<RankedTensorType>(target.getType()).getShape());
  Value whole = target;
  if (!task.queries.isFixed()) {
    used[0] = task.blocks.lanes;
    whole = b.empty(used, element);
  }
  LoopDims dims = {0, 1};
  int64_t columns = used[1];
  if (!rows) {
    std::swap(used[0], used[1]);
    std::swap(dims[0], dims[1]);
  }
  Value lines =
      b.generic("pp", {dims, {0, 1}}, b.slice(tile, origin, {used[0], used[1]}, {0, 1}), whole,
                [&](TileBuilder &inner, ValueRange args) { return SmallVector<Value>{leaving(inner, args[0])}; })[0];
  return task.queries.isFixed() ? lines : storeSome(task, lines, columns, target);
}

/// Returns the value to store. The mark of a removed key, -0.0, becomes 0.0, since -0.0 + 0.0 is 0.0.
Value AttentionEmitter::leaving(TileBuilder &inner, Value value) {
  return op.getWithWeights() ? arith::AddFOp::create(inner, value, inner.real(0.0, element)) : value;
}
