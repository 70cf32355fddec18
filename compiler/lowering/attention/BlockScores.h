//===- BlockScores.h - scores of a block of keys ----------------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_BLOCKSCORES_H
#define HEDDLE_COMPILER_LOWERING_BLOCKSCORES_H

#include "BlockProducts.h"
#include "ScoreOperands.h"

namespace heddle {

/// The scores of a task's queries and a block of keys.
class BlockScores {
public:
  BlockScores(TileBuilder &b, AttentionOp op, ScoreDims dims, BlockProducts &products, ScoreOperands &operands)
      : b(b), op(op), dims(dims), products(products), operands(operands) {}

  /// Emits the scores of `count` keys from `firstKey` on in the tile `into`: products, softcap, bias, region and mask.
  /// Scores of keys that positions remove are -inf; with `seesAll`, positions remove none of the keys. With keys in
  /// lanes, the rows are those of all heads of the task.
  mlir::Value emit(const AttentionTask &task, mlir::Value firstKey, const Extent &count, mlir::Value into,
                   bool seesAll = false);
  /// Sets scores of keys that positions remove to -inf. `queries` are those of the scores, and `range` contains their
  /// keys.
  mlir::Value emitWithoutRemoved(const TaskQueries &queries, const KeyRange &range, mlir::Value firstKey,
                                 mlir::Value scores);

private:
  mlir::Value emitAtEdges(const TaskQueries &queries, const KeyRange &range, mlir::Value firstKey, const Extent &count,
                          mlir::Value scores);

  TileBuilder &b;
  AttentionOp op;
  ScoreDims dims;
  BlockProducts &products;
  ScoreOperands &operands;
};

/// For each head of a task, applies `change` to the rows of the tile `scores` that belong to this head, and returns the
/// changed tile. Keys lie in lanes, and the rows of a head are below those of the previous head. The arguments of
/// `change` are the queries of one head and their rows.
mlir::Value emitOfEachHead(TileBuilder &b, const TaskQueries &queries, mlir::Value scores,
                           llvm::function_ref<mlir::Value(const TaskQueries &, mlir::Value)> change);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_BLOCKSCORES_H
