//===- Narrowing.h - results stored in a narrower type ----------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_NARROWING_H
#define HEDDLE_LOWERING_NARROWING_H

#include "Emit.h"

namespace heddle {

/// Returns the op that converts `result` to a narrower type, as heddle-narrow-results inserts it, if it is the only
/// user of `result` (possibly after reshapes); otherwise returns null.
mlir::linalg::GenericOp findNarrowing(mlir::Value result);

/// Returns whether only dot products read the result of `narrowing` (ForProducts.h); false if `narrowing` is null.
bool isForProducts(mlir::linalg::GenericOp narrowing);

/// Replaces the result of `narrowing` by a reshape of `narrow`, and erases the layer, whose result `narrowing`
/// converts.
void replaceNarrowed(mlir::RewriterBase &rewriter, mlir::Operation *layer, mlir::linalg::GenericOp narrowing,
                     mlir::Value narrow);

} // namespace heddle

#endif // HEDDLE_LOWERING_NARROWING_H
