//===- Widened.h - narrow tiles converted once ------------------*- C++ -*-===//

#ifndef HEDDLE_LOWERING_WIDENED_H
#define HEDDLE_LOWERING_WIDENED_H

#include "mlir/IR/Builders.h"

namespace heddle {

/// If `tile` has a static shape and is a part of the result of heddle.dequantize, its elements are stored in a narrower
/// type. In this case, returns a copy of the tile in the wide type, so that an element that is read several times is
/// converted only once. Otherwise returns `tile` unchanged.
mlir::Value emitWidened(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tile);

/// If `value` is the widened form of a tensor that is stored as narrower floats (a heddle.dequantize without scales),
/// or a view of it, returns the same view of the stored tensor. Otherwise returns `value`.
mlir::Value emitStored(mlir::OpBuilder &b, mlir::Value value);

/// Converts `element`, a scalar of the body of an operation on tiles, to `type` if it is a narrower float. Otherwise
/// returns it unchanged.
mlir::Value emitExtended(mlir::OpBuilder &body, mlir::Location loc, mlir::Value element, mlir::Type type);

} // namespace heddle

#endif // HEDDLE_LOWERING_WIDENED_H
