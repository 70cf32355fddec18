//===- Narrowing.h - layers whose result is rounded for products *- C++ -*-===//

#ifndef HEDDLE_LOWERING_NARROWING_H
#define HEDDLE_LOWERING_NARROWING_H

#include "Emit.h"

namespace heddle {

/// Returns the op that converts `result` to bf16 for products (heddle-narrow-results), if this op is the only user of
/// `result` (possibly after reshapes); otherwise returns null.
mlir::linalg::GenericOp findNarrowing(mlir::Value result);

/// Replaces the result of `narrowing` by a reshape of `narrow`, and erases the layer, whose result `narrowing`
/// converts.
void replaceNarrowed(mlir::RewriterBase &rewriter, mlir::Operation *layer, mlir::linalg::GenericOp narrowing,
                     mlir::Value narrow);

} // namespace heddle

#endif // HEDDLE_LOWERING_NARROWING_H
