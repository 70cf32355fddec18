//===- ActiveFlags.h - which positions are active, as tensors ---*- C++ -*-===//

#ifndef HEDDLE_PADDING_ACTIVEFLAGS_H
#define HEDDLE_PADDING_ACTIVEFLAGS_H

#include "Heddle.h"

namespace heddle {

/// Where integers [batch, positions], perhaps with dimensions of size 1 between, are not 0: i1 [batch, positions].
mlir::Value emitFlags(mlir::OpBuilder &b, mlir::Location loc, mlir::Value integers);

/// `flags`, i1 [batch, positions], with all positions of some batch entries set (whole entries): of those
/// - that have no active position,
/// - in which one of `inputs` (batch entries first) has a NaN or a number of 2^20 or more,
/// - and, with `attention`, in which a score may be as low as half its masked score (bounded by max|q| and max|k|).
/// In the other entries a masked key has weight 0 if its query has another key. Flags and attention have as many entries.
mlir::Value emitWhole(mlir::OpBuilder &b, mlir::Location loc, mlir::Value flags, mlir::ValueRange inputs,
                      AttentionOp attention);

/// Whether emitWhole makes sense of an attention: scores are products that a finite number replaces, half of which is at least 512
/// below 0.
bool canBoundScores(AttentionOp attention);

} // namespace heddle

#endif // HEDDLE_PADDING_ACTIVEFLAGS_H
