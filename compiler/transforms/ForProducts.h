//===- ForProducts.h - conversion of f32 to bf16 for dot products ---------===//

#ifndef HEDDLE_TRANSFORMS_FORPRODUCTS_H
#define HEDDLE_TRANSFORMS_FORPRODUCTS_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace heddle {

/// Converts an f32 number or vector to a narrower float that only dot products read. The flag afn allows the conversion
/// to flush denormal results to zero, as these products flush their inputs.
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
