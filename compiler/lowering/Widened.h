//===- Widened.h - narrow tiles converted once ------------------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_WIDENED_H
#define HEDDLE_LOWERING_WIDENED_H

#include "mlir/IR/Builders.h"

namespace heddle {

/// If `tile` is a static part of the result of heddle.dequantize, so that its elements are stored in a narrower type,
/// returns a copy of it: elements that are read several times are then converted once. Otherwise returns `tile`
/// unchanged.
mlir::Value emitWidened(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tile);

} // namespace heddle

#endif // HEDDLE_LOWERING_WIDENED_H
