//===- Quantization.h - rounded rows for products that have them -*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_QUANTIZATION_H
#define HEDDLE_IMPORT_ONNX_OPS_QUANTIZATION_H

#include "NodeContext.h"

namespace heddle::onnx {

/// Refuses an operand that has no integers of 4 or 8 bits.
llvm::LogicalResult requireSmall(NodeContext &n, size_t i);

/// What DynamicQuantizeLinear makes of `x`: scale and zero point of all its elements.
SmallIntegers::Rounded roundDynamically(NodeContext &n, mlir::Value x);

/// What rounding makes of them, in floats.
mlir::Value roundedFloats(Emitter &b, const SmallIntegers::Rounded &rounded);

/// What QuantizeLinear makes of `x` with one scale and zero point (null: 0) of this type.
mlir::Value roundStatically(NodeContext &n, mlir::Value x, mlir::Value scale, mlir::Value zero, mlir::IntegerType type);

/// An operand of integers of 8 bits, with its scales and zero points, which may be null.
struct IntegerOperand {
  size_t input;
  mlir::Value scale, zero;
};

/// numpy's matmul of what integers stand for, and a bias in floats or null. Those of `rows` have one scale and zero point,
/// those of `weight` one for each column or one; where `isTransposed`, the weight is [columns, k]. It is one layer with
/// rounded rows where the rows are what a tensor was rounded to and the weight is stored.
mlir::FailureOr<mlir::Value> integerProduct(NodeContext &n, const IntegerOperand &rows, const IntegerOperand &weight,
                                            mlir::Value bias, bool isTransposed = false);

/// A product of integers times the scales of both sides as the linear layer that it is; null where it is none.
mlir::Value scaledProduct(NodeContext &n, mlir::Value product, mlir::Value scale);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_QUANTIZATION_H
