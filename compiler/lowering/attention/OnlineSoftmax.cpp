//===- OnlineSoftmax.cpp - the softmax of tiles of scores -----------------===//
//
// A maximum is cmpf and select instead of maximumf, since cmpf and select become
// one instruction. This maximum may ignore a NaN score, but the row of the
// result is NaN nevertheless: the weight of the NaN score is NaN, and so is the
// sum of weights. No code here may assume that scores are finite or not NaN.
//
//===----------------------------------------------------------------------===//

#include "OnlineSoftmax.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

Value OnlineSoftmax::emitLargest(Value scores) {
  int64_t rows = cast<RankedTensorType>(scores.getType()).getDimSize(dims.query);
  return emitLargest(scores, b.filled({rows}, -INFINITY, element));
}

Value OnlineSoftmax::emitLargest(Value scores, Value into) {
  return emitLargest(dims.alongKeys(), {{0, 1}, {dims.query}}, scores, into);
}

/// Emits the larger one of two numbers, or the running maximum, args[1], if one of them is NaN.
Value OnlineSoftmax::emitLargest(StringRef iterators, ArrayRef<LoopDims> loops, Value scores, Value into) {
  return b.generic(iterators, loops, scores, into, [](TileBuilder &inner, ValueRange args) {
    Value above = arith::CmpFOp::create(inner, arith::CmpFPredicate::OGT, args[0], args[1]);
    return SmallVector<Value>{arith::SelectOp::create(inner, above, args[0], args[1])};
  })[0];
}

Value OnlineSoftmax::emitShift(Value largest) {
  return b.generic("p", {{0}}, {}, largest, [&](TileBuilder &inner, ValueRange args) {
    Value maximum = score.emitPower(inner, inner.getLoc(), args[0]);
    return SmallVector<Value>{score.emitShift(inner, inner.getLoc(), maximum)};
  })[0];
}

Value OnlineSoftmax::emitExponential(TileBuilder &inner, Value x, Value y) {
  return score.emitWeight(inner, inner.getLoc(), inner.cast(x, precision), inner.cast(y, precision));
}

Value OnlineSoftmax::emitWeight(TileBuilder &inner, Value number, Value shift, bool checked) {
  Value weight = emitExponential(inner, number, shift);
  if (op.getRounding())
    weight = op.emitRoundedFactor(inner, inner.getLoc(), weight);
  if (!checked)
    return weight;
  Value gone = arith::CmpFOp::create(inner, arith::CmpFPredicate::OEQ, number, inner.real(-INFINITY, element));
  return arith::SelectOp::create(inner, gone, inner.real(-0.0, precision), weight);
}

OnlineSoftmax::Weights OnlineSoftmax::emitWeights(Value shift, Value scores, Value sum, bool checked) {
  // With queries in lanes, one op computes the weights and their sum. If the softmax is in f64, the op adds each weight
  // before the weight is rounded to f32. With keys in lanes, the sum is an op of its own, so that whole vectors are
  // added.
  if (!dims.areKeysInLanes()) {
    auto both = b.generic("rp", {{1}, {0, 1}, {1}}, shift, {scores, sum}, [&](TileBuilder &inner, ValueRange args) {
      Value weight = emitWeight(inner, args[1], args[0], checked);
      return SmallVector<Value>{inner.cast(weight, element), arith::AddFOp::create(inner, args[2], weight)};
    });
    return {both[0], both[1]};
  }
  Value weights = b.generic("pp", {{0}, {0, 1}}, shift, scores, [&](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{inner.cast(emitWeight(inner, args[1], args[0], checked), element)};
  })[0];
  sum = b.generic("pr", {{0, 1}, {0}}, weights, sum, [&](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{arith::AddFOp::create(inner, inner.cast(args[0], precision), args[1])};
  })[0];
  return {weights, sum};
}

/// One op reads the old maximum and writes the new one, so that the update is in place.
OnlineSoftmax::Rescaled OnlineSoftmax::emitRescaled(const SoftmaxState &state, Value highest) {
  Value factor = b.empty(cast<RankedTensorType>(state.maximum.getType()).getShape(), element);
  SmallVector<Value> results =
      b.generic("p", {{0}, {0}, {0}, {0}}, {}, {state.maximum, highest, factor, state.sum},
                [&](TileBuilder &inner, ValueRange args) {
                  Location loc = inner.getLoc();
                  Value above = arith::CmpFOp::create(inner, arith::CmpFPredicate::OGT, args[1], args[0]);
                  Value maximum = arith::SelectOp::create(inner, above, score.emitPower(inner, loc, args[1]), args[0]);
                  Value shift = score.emitShift(inner, loc, maximum);
                  Value scaling = emitExponential(inner, args[0], shift);
                  Value sum = arith::MulFOp::create(inner, args[3], scaling);
                  return SmallVector<Value>{maximum, shift, inner.cast(scaling, args[0].getType()), sum};
                });
  Value output =
      b.generic("pp", {{dims.query}, {0, 1}}, results[2], state.output, [](TileBuilder &inner, ValueRange args) {
        return SmallVector<Value>{arith::MulFOp::create(inner, args[1], args[0])};
      })[0];
  return {results[0], results[1], results[3], output};
}
