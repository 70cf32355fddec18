//===- Widened.h - narrow tiles converted once ------------------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_WIDENED_H
#define HEDDLE_LOWERING_WIDENED_H

#include "mlir/IR/Builders.h"

namespace heddle {

/// Returns a tile of elements stored in a narrower type (behind heddle.dequantize) as a copy of its own, so that
/// elements that are read several times are converted once. Returns any other tile, or one without a static shape, as
/// it is.
mlir::Value emitWidened(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tile);

} // namespace heddle

#endif // HEDDLE_LOWERING_WIDENED_H
