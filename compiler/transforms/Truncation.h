//===- Truncation.h - operations that convert all elements ------*- C++ -*-===//

#ifndef HEDDLE_TRANSFORMS_TRUNCATION_H
#define HEDDLE_TRANSFORMS_TRUNCATION_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace heddle {

/// If `op` does nothing but convert each element of one tensor to a narrower float type, and the result has the shape
/// of the tensor, returns the conversion in its body; otherwise returns null. `op` may be null.
mlir::arith::TruncFOp matchTruncation(mlir::linalg::GenericOp op);

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_TRUNCATION_H
