//===- ForProducts.h - conversion of f32 to bf16 for dot products ---------===//

#ifndef HEDDLE_TRANSFORMS_FORPRODUCTS_H
#define HEDDLE_TRANSFORMS_FORPRODUCTS_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace heddle {

/// Converts `number`, an f32 scalar or vector, to the narrower float type `type` for dot products. Only dot products
/// may read the result. The fast-math flag afn marks a conversion whose denormal results may become zero: the dot
/// products treat denormal inputs as zero, too.
inline mlir::Value emitForProducts(mlir::OpBuilder &b, mlir::Location loc, mlir::Value number, mlir::Type type) {
  auto narrow = mlir::arith::TruncFOp::create(b, loc, type, number);
  narrow.setFastmath(mlir::arith::FastMathFlags::afn);
  return narrow;
}

/// Returns whether the operation is a conversion of f32 to bf16 that emitForProducts emitted.
inline bool isForProducts(mlir::arith::TruncFOp op) {
  return mlir::getElementTypeOrSelf(op.getType()).isBF16() && mlir::getElementTypeOrSelf(op.getIn()).isF32() &&
         op.getFastmath() && bitEnumContainsAny(*op.getFastmath(), mlir::arith::FastMathFlags::afn);
}

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_FORPRODUCTS_H
