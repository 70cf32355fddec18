//===- BlockProducts.h - products with a block of keys ----------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_BLOCKPRODUCTS_H
#define HEDDLE_COMPILER_LOWERING_BLOCKPRODUCTS_H

#include "AttentionScore.h"
#include "AttentionTask.h"

namespace heddle {

/// The two products of attention for a block of keys: queries and keys, weights and values.
class BlockProducts {
public:
  /// Rows of keys and values that products read are prefetched `prefetchBytes` bytes ahead into the cache of level
  /// `prefetchCache`; 0 bytes: they are not prefetched.
  BlockProducts(TileBuilder &b, AttentionOp op, const AttentionScore &score, ScoreDims dims, int64_t prefetchBytes,
                int64_t prefetchCache)
      : b(b), op(op), score(score), dims(dims), prefetchBytes(prefetchBytes), prefetchCache(prefetchCache) {}

  /// Emits the products of `query`, which is `task.factor` or a part of it, and `count` keys from `firstKey` on, in the
  /// tile `into`: keys [keys][D] x query [D][lanes], or, with keys in lanes, query [rows][D] x keys^T.
  mlir::Value emitScores(const AttentionTask &task, mlir::Value firstKey, const Extent &count, mlir::Value query,
                         mlir::Value into);
  /// Adds weighted values to the output: output [Dv][lanes] += values^T x weights [keys][lanes], or, in rows, output
  /// [queries][Dv] += weights x values [keys][Dv]. In a checked task, removed keys add nothing, even if their value is
  /// not finite.
  mlir::Value emitWeighted(const AttentionTask &task, mlir::Value firstKey, const Extent &count, mlir::Value weights,
                           mlir::Value output);

private:
  mlir::Value emitPrefetched(const AttentionTask &task, mlir::Value product);

  TileBuilder &b;
  AttentionOp op;
  const AttentionScore &score;
  ScoreDims dims;
  int64_t prefetchBytes, prefetchCache;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_BLOCKPRODUCTS_H
