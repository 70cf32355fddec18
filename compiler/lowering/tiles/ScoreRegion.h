//===- ScoreRegion.h - the region of attention on scores --------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_TILES_SCOREREGION_H
#define HEDDLE_LOWERING_TILES_SCOREREGION_H

#include "BroadcastOperand.h"
#include "TileBuilder.h"

#include "Heddle.h"

namespace heddle {

/// The region `score` of a heddle.attention, if it has one, and the tensors that the region reads.
class ScoreRegion {
public:
  ScoreRegion() = default;
  /// Emits the conversion to bytes of the tensors of i1 that the region reads. `queries` and `keys` are the numbers of
  /// queries and of keys.
  ScoreRegion(TileBuilder &b, AttentionOp op, const Extent &queries, const Extent &keys);

  /// Returns whether there is a region.
  explicit operator bool() const { return op != nullptr; }
  /// Emits the score that the region computes from `score`, the score of a query and a key; `score` itself if there is
  /// no region.
  mlir::Value emit(mlir::OpBuilder &b, mlir::Location loc, mlir::Value score, mlir::Value batch, mlir::Value head,
                   mlir::Value query, mlir::Value key) const;

private:
  AttentionOp op;                            // null if it has no region
  llvm::SmallVector<BroadcastOperand> reads; // tensors of i1 are converted to bytes
};

} // namespace heddle

#endif // HEDDLE_LOWERING_TILES_SCOREREGION_H
