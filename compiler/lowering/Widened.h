//===- Widened.h - narrow tiles converted once ------------------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_WIDENED_H
#define HEDDLE_LOWERING_WIDENED_H

#include "mlir/IR/Builders.h"

namespace heddle {

/// Returns a copy of a tile whose elements are stored in a narrower type (behind heddle.dequantize), so that elements
/// that are read several times are converted once. Returns any other tile, or a tile without a static shape, unchanged.
mlir::Value emitWidened(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tile);

} // namespace heddle

#endif // HEDDLE_LOWERING_WIDENED_H
