//===- ScoreOperands.h - bias, mask and regions of attention ----*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_SCOREOPERANDS_H
#define HEDDLE_COMPILER_LOWERING_SCOREOPERANDS_H

#include "AttentionScore.h"
#include "AttentionTask.h"

namespace heddle {

/// Changes of tiles of scores and attention probabilities that depend on tensors or on positions: bias, mask and
/// regions.
class ScoreOperands {
public:
  /// Emits the conversions of the mask and of tensors of flags to bytes, which all tasks share. A tile has at most
  /// `maxKeys` keys.
  ScoreOperands(TileBuilder &b, AttentionOp op, const AttentionScore &score, ScoreDims dims, int64_t maxKeys);

  /// The mask as bytes; null if the op has none.
  mlir::Value getMask() const { return mask; }
  /// Applies softcap, bias, the region `score` and the mask to a tile of scores for `count` keys from `firstKey` on.
  mlir::Value emitScores(const TaskQueries &queries, mlir::Value firstKey, const Extent &count, mlir::Value scores);
  /// Applies the region `probability` to a tile of attention probabilities for `count` keys from `firstKey` on. If
  /// `checked`, removed keys are marked (RemovedKeys.h), and a key keeps its mark only if the region yields 0 for its
  /// probability.
  mlir::Value emitProbabilities(const TaskQueries &queries, mlir::Value firstKey, const Extent &count,
                                mlir::Value probabilities, bool checked);

private:
  using Value = mlir::Value;
  Value emitPart(const TaskQueries &queries, Value operand, Value firstKey, const Extent &count, LoopDims &loops);
  Value emitEach(const TaskQueries &queries, llvm::ArrayRef<Value> operands, Value firstKey, const Extent &count,
                 Value tile, TileBuilder::Body body);
  Value emitRegionAt(TileBuilder &inner, mlir::Region &region, const TaskQueries &queries, Value firstKey, Value number,
                     mlir::ValueRange elements);

  TileBuilder &b;
  AttentionOp op;
  const AttentionScore &score;
  ScoreDims dims;
  int64_t maxKeys;
  Value mask;
  llvm::SmallVector<Value> reads; // tensors that the op's regions read; tensors of i1 are converted to bytes
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_SCOREOPERANDS_H
