//===- LowerBoxes.h - ops as thread tiles of vectors ------------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_BOXES_LOWERBOXES_H
#define HEDDLE_LOWERING_BOXES_LOWERBOXES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Replaces an op on tiles of a workgroup by loops over its `threads` whose iterations compute boxes of it: some rows
/// times four elements along the last dimension of the result, of 128 bits. Fails without a change where an op has
/// results of other elements, or ones that do not fall into such boxes.
mlir::LogicalResult lowerBoxes(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op, int64_t threads);

} // namespace heddle

#endif // HEDDLE_LOWERING_BOXES_LOWERBOXES_H
