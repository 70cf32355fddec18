//===- AttentionSteps.cpp - attention to a block of keys ------------------===//

#include "AttentionSteps.h"

using namespace mlir;
using namespace heddle;

AttentionSteps::AttentionSteps(TileBuilder &b, AttentionOp op, const AttentionPlan &plan, const AttentionTiles &tiles,
                               const ActiveQueries &active)
    : dims(ScoreDims::of(tiles.inRows)), active(active), score(op, /*inRegisters=*/false),
      operands(b, op, score, dims, plan.blockK), softmax(b, op, score, dims),
      products(b, op, score, dims, plan.prefetchBytes, tiles.pastCache), scores(b, op, dims, products, operands),
      normalization(b, op, score, this->active), b(b), op(op) {}

SoftmaxState AttentionSteps::emitOnline(const AttentionTask &task, Value firstKey, const Extent &count,
                                        const SoftmaxState &state, bool seesAll) {
  Value block = scores.emit(task, firstKey, count, state.scores, seesAll);
  OnlineSoftmax::Rescaled rescaled = softmax.emitRescaled(state, softmax.emitLargest(block));
  auto [weights, sum] = softmax.emitWeights(rescaled.shift, block, rescaled.sum, task.checked);
  weights = emitTimesScales(b, task.values.scales, firstKey, count, weights, dims.key);
  Value output = products.emitWeighted(task, firstKey, count, weights, rescaled.output);
  return {rescaled.maximum, sum, output, weights};
}

/// Divides the weights of all keys by their sum, and applies the region `probability` to the results. In a checked
/// task, removed keys and all keys of a row that yields zeros are marked (RemovedKeys.h).
Value AttentionSteps::emitProbabilities(const AttentionTask &task, const Extent &keys, Value weights, Value sum) {
  Value first = b.index(0);
  bool inRows = dims.areKeysInLanes();
  weights = normalization.emit(task.queries, weights, sum, inRows, /*none=*/task.checked ? -0.0 : 0.0);
  auto change = [&](const TaskQueries &queries, Value part) {
    return operands.emitProbabilities(queries, first, keys, part, task.checked);
  };
  return inRows ? emitOfEachHead(b, task.queries, weights, change) : change(task.queries, weights);
}

SoftmaxState AttentionSteps::emitAtOnce(const AttentionTask &task, const Extent &keys, SoftmaxState state) {
  Value first = b.index(0), whole = state.scores;
  Extent count = keys.emitOnce(b, b.getLoc());
  SmallVector<OpFoldResult> origin(2, b.getIndexAttr(0));
  SmallVector<Extent> used;
  if (!count.isFixed()) {
    used = {count, task.queries.lanes};
    state.scores = b.slice(whole, origin, used, {0, 1});
  }
  Value block = scores.emit(task, first, count, state.scores);
  Value shift = softmax.emitShift(softmax.emitLargest(block));
  auto [weights, sum] = softmax.emitWeights(shift, block, state.sum, task.checked);
  if (op.hasProbability()) {
    weights = emitProbabilities(task, count, weights, sum);
    // the weights are already divided by their sum
    sum = linalg::FillOp::create(b, b.real(1.0, softmax.getPrecision()), sum).getResult(0);
  }
  Value output = products.emitWeighted(task, first, count, weights, state.output);
  Value stored = used.empty() ? weights : b.insert(weights, whole, origin, used);
  return {Value(), sum, output, stored};
}
