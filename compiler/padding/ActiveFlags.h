//===- ActiveFlags.h - activity masks as tensors ----------------*- C++ -*-===//

#ifndef HEDDLE_PADDING_ACTIVEFLAGS_H
#define HEDDLE_PADDING_ACTIVEFLAGS_H

#include "Heddle.h"

namespace heddle {

/// Returns an activity mask: an i1 tensor [batch, positions] that is true at active positions. Active positions must be
/// computed, because they are not padding. A position is active where `integers` is not 0. `integers` is [batch,
/// positions], possibly with dimensions of size 1 between these two.
mlir::Value emitFlags(mlir::OpBuilder &b, mlir::Location loc, mlir::Value integers);

/// Returns the activity mask `flags`, i1 [batch, positions], with all positions set to true in those batch entries that
/// must be computed as a whole:
///
/// * entries that have no active position,
/// * entries in which one of `inputs` (dimension 0 is the batch) contains a NaN or an element of magnitude 2^20 or
///   more,
/// * if `attention` is given, entries in which one of its scores may be as low as half its masked score (the number
///   that replaces the scores of masked keys). The bound on the magnitude of a score is D |scale| max|q| max|k|, where
///   D is the head size. In the other entries, the attention probability of a masked key is 0 for each query that
///   attends to a key that is not masked.
///
/// `flags`, `inputs` and `attention` must have the same number of batch entries, and canBoundScores(`attention`) must
/// be true.
mlir::Value emitWhole(mlir::OpBuilder &b, mlir::Location loc, mlir::Value flags, mlir::ValueRange inputs,
                      AttentionOp attention);

/// Returns whether emitWhole() can bound the scores of an attention operation. The scores must be plain products in
/// f32, no region may change the probabilities, and |scale| must be less than 10^6. There must be a mask, nothing else
/// may replace or remove scores, and the number with which the mask replaces scores must be at most -1024 and greater
/// than the lowest f32. If all other scores are above half of this number, a masked key has a score at least 512 lower
/// than these scores, so its attention probability is 0 in f32.
bool canBoundScores(AttentionOp attention);

} // namespace heddle

#endif // HEDDLE_PADDING_ACTIVEFLAGS_H
