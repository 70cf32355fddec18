//===- Pair.cpp - the meaning of heddle.pair and heddle.pair_dot ----------===//

#include "reference/Reference.h"

using namespace mlir;
using namespace heddle;

/// Returns the bits of the bf16 nearest to `x`.
static uint32_t bitsOf(double x) {
  APFloat number(x);
  bool losesInfo;
  number.convert(APFloat::BFloat(), APFloat::rmNearestTiesToEven, &losesInfo);
  return uint32_t(number.bitcastToAPInt().getZExtValue());
}

/// Returns the value of the bf16 in the lower half of a word.
static double numberOf(uint64_t word) { return APFloat(APFloat::BFloat(), APInt(16, word & 0xffff)).convertToFloat(); }

/// Evaluates heddle.pair: `low` in the lower half of the word, `high` in the upper half.
static LaneFunction pairLanes(Operation *, Evaluator &) {
  return [](ArrayRef<Column> in, ArrayRef<Column> out, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      out[0].ints[i] = wrapInteger(int64_t(bitsOf(in[1].floats[i])) << 16 | bitsOf(in[0].floats[i]), 32);
    return success();
  };
}

/// Evaluates heddle.pair_dot. If the interpreter computes in f32, each of the two additions is rounded.
static LaneFunction pairDotLanes(Operation *op, Evaluator &evaluator) {
  bool rounds = roundsToF32(op->getResult(0).getType(), evaluator);
  return [rounds](ArrayRef<Column> in, ArrayRef<Column> out, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      double sum = in[2].floats[i];
      for (unsigned half : {0, 16}) {
        sum += numberOf(uint64_t(in[0].ints[i]) >> half) * numberOf(uint64_t(in[1].ints[i]) >> half);
        if (rounds)
          sum = float(sum);
      }
      out[0].floats[i] = sum;
    }
    return success();
  };
}

void heddle::registerPairReference(MLIRContext *context) {
  attachLanes<PairOp, pairLanes>(context);
  attachLanes<PairDotOp, pairDotLanes>(context);
}
