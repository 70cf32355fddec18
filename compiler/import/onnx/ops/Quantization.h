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

/// A product of integers times the scales of both sides as the linear layer that it is; null where it is none.
mlir::Value scaledProduct(NodeContext &n, mlir::Value product, mlir::Value scale);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_QUANTIZATION_H
