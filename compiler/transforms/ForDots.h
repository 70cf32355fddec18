//===- ForDots.h - f32 as bf16 that products read ---------------*- C++ -*-===//

#ifndef HEDDLE_TRANSFORMS_FORDOTS_H
#define HEDDLE_TRANSFORMS_FORDOTS_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace heddle {

/// A number, or a vector, of f32 as a narrower float that only products read. The flag afn says so: a result that would
/// be a denormal may be zero, for which these products take it.
inline mlir::Value emitForDots(mlir::OpBuilder &b, mlir::Location loc, mlir::Value number, mlir::Type type) {
  auto narrow = mlir::arith::TruncFOp::create(b, loc, type, number);
  narrow.setFastmath(mlir::arith::FastMathFlags::afn);
  return narrow;
}

/// Whether it makes such a bf16 of f32.
inline bool isForDots(mlir::arith::TruncFOp op) {
  return mlir::getElementTypeOrSelf(op.getType()).isBF16() && mlir::getElementTypeOrSelf(op.getIn()).isF32() &&
         op.getFastmath() && bitEnumContainsAny(*op.getFastmath(), mlir::arith::FastMathFlags::afn);
}

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_FORDOTS_H
