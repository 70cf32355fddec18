//===- Quantization.h - products with rounded rows --------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_QUANTIZATION_H
#define HEDDLE_IMPORT_ONNX_OPS_QUANTIZATION_H

#include "NodeContext.h"

namespace heddle::onnx {

/// Emits an error unless operand `i` consists of integers of 4 or 8 bits.
llvm::LogicalResult requireSmall(NodeContext &n, size_t i);

/// Computes the scale and the zero point with which DynamicQuantizeLinear rounds all elements of `x`.
SmallIntegers::Rounded roundDynamically(NodeContext &n, mlir::Value x);

/// Rounds `rounded.source` to unsigned 8-bit integers, and returns the floats that these integers represent.
mlir::Value roundedFloats(Emitter &b, const SmallIntegers::Rounded &rounded);

/// Rounds `x` to integers of type `type` as QuantizeLinear does, with one scale and one zero point. If `zero` is null,
/// the zero point is 0.
mlir::Value roundStatically(NodeContext &n, mlir::Value x, mlir::Value scale, mlir::Value zero, mlir::IntegerType type);

/// An operand of integers of 4 or 8 bits: the index of the node's input, the scales, and the zero points, which may be
/// null.
struct IntegerOperand {
  size_t input;
  mlir::Value scale, zero;
};

/// Multiplies the floats that the integers represent, as numpy's matmul does, and adds a bias in floats, which may be
/// null. `rows` has one scale and zero point; `weight` has one scale and zero point, or one for each column. If
/// `isTransposed`, the weight is [columns, k]. If the rows are a rounded tensor and the weight is stored, emits a
/// linear layer with rounded rows: a heddle.linear that rounds the rows of its input itself.
mlir::FailureOr<mlir::Value> integerProduct(NodeContext &n, const IntegerOperand &rows, const IntegerOperand &weight,
                                            mlir::Value bias, bool isTransposed = false);

/// If `product` is a product of integers and `scale` is the product of the scales of its operands, emits a linear layer
/// with rounded rows that computes product * scale. Otherwise returns null.
mlir::Value scaledProduct(NodeContext &n, mlir::Value product, mlir::Value scale);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_QUANTIZATION_H
