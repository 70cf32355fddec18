//===- ActiveFlags.h - which positions are active, as tensors ---*- C++ -*-===//

#ifndef HEDDLE_TRANSFORMS_ACTIVEFLAGS_H
#define HEDDLE_TRANSFORMS_ACTIVEFLAGS_H

#include "Heddle.h"

namespace heddle {

/// Where integers [batch, positions], perhaps with dimensions of size 1 between, are not 0: i1 [batch, positions].
mlir::Value emitFlags(mlir::OpBuilder &b, mlir::Location loc, mlir::Value integers);

/// `flags`, i1 [batch, positions], and all positions of an entry that has none.
mlir::Value emitWholeIfEmpty(mlir::OpBuilder &b, mlir::Location loc, mlir::Value flags);

/// `flags`, and all positions of an entry that has none, or in which a score of `attention`, by its size, might be as
/// low as half its masked score: beside any other score the softmax weight of a masked one is 0 in f32.
mlir::Value emitWholeIfLow(mlir::OpBuilder &b, mlir::Location loc, mlir::Value flags, AttentionOp attention);

/// Whether emitWholeIfLow makes sense: what masks the scores is one finite number, and it is low enough.
bool boundsMaskedScore(AttentionOp attention);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_ACTIVEFLAGS_H
