//===- Activation.h - activations that several operators use ----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_ACTIVATION_H
#define HEDDLE_IMPORT_ONNX_OPS_ACTIVATION_H

#include "NodeContext.h"

namespace heddle::onnx {

/// 1 / (1 + exp(-x))
mlir::Value sigmoid(Emitter &b, mlir::Value x);

/// The same formula as PyTorch's exporter uses before opset 20.
mlir::Value gelu(Emitter &b, mlir::Value x, bool byTanh);

/// x sigmoid(alpha x); alpha is an attribute with the default `otherwise`.
mlir::Value swish(NodeContext &n, mlir::Value x, double otherwise);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_ACTIVATION_H
