//===- ActiveFlags.h - which positions are active, as tensors ---*- C++ -*-===//

#ifndef HEDDLE_PADDING_ACTIVEFLAGS_H
#define HEDDLE_PADDING_ACTIVEFLAGS_H

#include "Heddle.h"

namespace heddle {

/// Where integers [batch, positions], perhaps with dimensions of size 1 between, are not 0: i1 [batch, positions].
mlir::Value emitFlags(mlir::OpBuilder &b, mlir::Location loc, mlir::Value integers);

/// `flags`, i1 [batch, positions], and all positions of an entry that has none, or in which one of `inputs` (batch entries
/// first) has a number that is not finite or as large as no ordinary one. Where there is an `attention`, also of one in
/// which a score of it, by the size of queries and keys, might be as low as half its masked score. In the others the
/// softmax weight of a masked key is 0, if the query has another key. Flags and attention have as many entries.
mlir::Value emitWhole(mlir::OpBuilder &b, mlir::Location loc, mlir::Value flags, mlir::ValueRange inputs,
                      AttentionOp attention);

/// Whether emitWhole makes sense of an attention: scores are products that a finite number replaces, half of which is at least 512
/// below 0.
bool canBoundScores(AttentionOp attention);

} // namespace heddle

#endif // HEDDLE_PADDING_ACTIVEFLAGS_H
