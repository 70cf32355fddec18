//===- LowerBoxes.h - ops as thread tiles of vectors ------------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_BOXES_LOWERBOXES_H
#define HEDDLE_LOWERING_BOXES_LOWERBOXES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Replaces an op on tiles of a workgroup by loops over the `threads` threads of the workgroup. Each iteration computes
/// a thread tile: in each of a few rows, four adjacent elements along the last dimension of the result (128 bits of
/// f32). Fails without a change if the op cannot be computed in such tiles, for example because its results do not
/// divide into them.
mlir::LogicalResult lowerBoxes(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op, int64_t threads);

} // namespace heddle

#endif // HEDDLE_LOWERING_BOXES_LOWERBOXES_H
