//===- Quantization.h - rounded rows of products ----------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_QUANTIZATION_H
#define HEDDLE_IMPORT_ONNX_OPS_QUANTIZATION_H

#include "NodeContext.h"

namespace heddle::onnx {

/// Refuses an operand that does not have integers of 4 or 8 bits.
llvm::LogicalResult requireSmall(NodeContext &n, size_t i);

/// DynamicQuantizeLinear on `x`: rounds all of its elements with one scale and zero point.
SmallIntegers::Rounded roundDynamically(NodeContext &n, mlir::Value x);

/// The rounded rows in floats.
mlir::Value roundedFloats(Emitter &b, const SmallIntegers::Rounded &rounded);

/// QuantizeLinear on `x` with one scale and one zero point (null: 0) of type `type`.
mlir::Value roundStatically(NodeContext &n, mlir::Value x, mlir::Value scale, mlir::Value zero, mlir::IntegerType type);

/// An operand of integers of 8 bits with its scales and zero points, which may be null.
struct IntegerOperand {
  size_t input;
  mlir::Value scale, zero;
};

/// numpy's matmul of the floats that the integers represent, plus a bias in floats, which may be null. `rows` have one
/// scale and zero point, `weight` has one or one for each column; if `isTransposed`, the weight is [columns, k]. It
/// becomes one layer with rounded rows if the rows are a rounded tensor and the weight is stored.
mlir::FailureOr<mlir::Value> integerProduct(NodeContext &n, const IntegerOperand &rows, const IntegerOperand &weight,
                                            mlir::Value bias, bool isTransposed = false);

/// The linear layer that a product of integers times the scales of both operands is; null if it is none.
mlir::Value scaledProduct(NodeContext &n, mlir::Value product, mlir::Value scale);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_QUANTIZATION_H
