//===- AttentionSteps.h - attention to a block of keys ----------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_ATTENTIONSTEPS_H
#define HEDDLE_COMPILER_LOWERING_ATTENTIONSTEPS_H

#include "AttentionPlan.h"
#include "BlockScores.h"
#include "Normalization.h"
#include "OnlineSoftmax.h"

namespace heddle {

/// Emits the steps of attention, each for a task's queries and one block of keys. The parts of a step are public, since
/// some lowerings combine them in another order.
class AttentionSteps {
public:
  /// Emits what all tasks share (ScoreOperands.h). `active` are the queries whose results are needed.
  AttentionSteps(TileBuilder &b, AttentionOp op, const AttentionPlan &plan, const AttentionTiles &tiles,
                 const ActiveQueries &active);
  AttentionSteps(const AttentionSteps &) = delete;
  AttentionSteps &operator=(const AttentionSteps &) = delete;

  /// Emits one step of the online softmax for `count` keys from `firstKey` on: rescales the sum and output so far to
  /// the new maximum, and adds the block. `seesAll`: positions remove none of the keys.
  SoftmaxState emitOnline(const AttentionTask &task, mlir::Value firstKey, const Extent &count,
                          const SoftmaxState &state, bool seesAll = false);
  /// Emits the softmax of all keys in one block. `keys` is the number of keys.
  SoftmaxState emitAtOnce(const AttentionTask &task, const Extent &keys, SoftmaxState state);

  const ScoreDims dims;
  const ActiveQueries active;
  const AttentionScore score;
  ScoreOperands operands;
  OnlineSoftmax softmax;
  BlockProducts products;
  BlockScores scores;
  Normalization normalization;

private:
  mlir::Value emitProbabilities(const AttentionTask &task, const Extent &keys, mlir::Value weights, mlir::Value sum);

  TileBuilder &b;
  AttentionOp op;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_ATTENTIONSTEPS_H
