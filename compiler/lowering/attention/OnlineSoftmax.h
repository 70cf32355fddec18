//===- OnlineSoftmax.h - the softmax of tiles of scores ---------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_ONLINESOFTMAX_H
#define HEDDLE_COMPILER_LOWERING_ONLINESOFTMAX_H

#include "AttentionScore.h"
#include "AttentionTask.h"

namespace heddle {

/// The softmax of tiles of scores along the keys, which may be computed block by block. Scores and weights have the
/// type of the op's elements; sums have the type in which the softmax is computed.
class OnlineSoftmax {
public:
  OnlineSoftmax(TileBuilder &b, AttentionOp op, const AttentionScore &score, ScoreDims dims)
      : b(b), op(op), score(score), dims(dims), element(getElementTypeOrSelf(op.getQuery())),
        precision(op.getSoftmaxType()) {}

  /// The types of scores and of sums.
  mlir::Type getElement() const { return element; }
  mlir::Type getPrecision() const { return precision; }

  /// Emits the largest score of each query.
  mlir::Value emitLargest(mlir::Value scores);
  /// Like the previous function, but includes the values of `into`, and computes the result in `into`.
  mlir::Value emitLargest(mlir::Value scores, mlir::Value into);
  /// Like the previous function, but with arbitrary loops: `iterators` and `loops` are passed to TileBuilder::generic.
  mlir::Value emitLargest(llvm::StringRef iterators, llvm::ArrayRef<LoopDims> loops, mlir::Value scores,
                          mlir::Value into);
  /// Emits the number to subtract from the scores of each query, if `largest` contains the largest score of all keys.
  mlir::Value emitShift(mlir::Value largest);

  /// The state after it was scaled to a maximum that includes the next block. `shift` contains the numbers to subtract
  /// from the scores of that block.
  struct Rescaled {
    mlir::Value maximum, shift, sum, output;
  };
  /// Scales the state to a maximum that includes `highest`, the largest scores of the next block.
  Rescaled emitRescaled(const SoftmaxState &state, mlir::Value highest);

  /// Emits exp(x - y) in the precision of the softmax; y must be at least x.
  mlir::Value emitExponential(TileBuilder &inner, mlir::Value x, mlir::Value y);
  /// Emits the weight exp(score - shift), rounded if attention rounds. If `checked`, a removed key is marked
  /// (RemovedKeys.h).
  mlir::Value emitWeight(TileBuilder &inner, mlir::Value score, mlir::Value shift, bool checked);
  struct Weights {
    mlir::Value weights, sum;
  };
  /// Emits the weights of `scores`, and `sum` plus the sum of these weights. `shift` contains the number to subtract
  /// from the scores of each query.
  Weights emitWeights(mlir::Value shift, mlir::Value scores, mlir::Value sum, bool checked);

private:
  TileBuilder &b;
  AttentionOp op;
  const AttentionScore &score;
  ScoreDims dims;
  mlir::Type element, precision;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_ONLINESOFTMAX_H
