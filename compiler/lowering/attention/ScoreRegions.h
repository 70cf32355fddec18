//===- ScoreRegions.h - the regions of attention ----------------*- C++ -*-===//

#ifndef HEDDLE_COMPILER_LOWERING_SCOREREGIONS_H
#define HEDDLE_COMPILER_LOWERING_SCOREREGIONS_H

#include "TileBuilder.h"

#include "Heddle.h"

namespace heddle {

/// The position of a score or attention probability: the indices of its batch entry, query head, query and key.
struct ScorePosition {
  mlir::Value batch, head, query, key;
};

/// Emits `region`, a region of `op`, for one score or attention probability, and returns the changed number. `elements`
/// contains the elements of the tensors that the region reads; of tensors of i1, they are bytes that are 0 for false.
mlir::Value emitRegion(mlir::OpBuilder &b, mlir::Location loc, AttentionOp op, mlir::Region &region, mlir::Value number,
                       const ScorePosition &at, mlir::ValueRange elements);

/// Returns the tensors that the regions of `op` read; tensors of i1 are converted to bytes.
llvm::SmallVector<mlir::Value> emitReads(TileBuilder &b, AttentionOp op);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_SCOREREGIONS_H
