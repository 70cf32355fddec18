//===- Activation.h - activations of more than one operator -----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_ACTIVATION_H
#define HEDDLE_IMPORT_ONNX_OPS_ACTIVATION_H

#include "NodeContext.h"

namespace heddle::onnx {

/// 1 / (1 + exp(-x))
mlir::Value sigmoid(Emitter &b, mlir::Value x);

/// As PyTorch's exporter decomposes it before opset 20.
mlir::Value gelu(Emitter &b, mlir::Value x, bool byTanh);

/// x sigmoid(alpha x), alpha being an attribute, or `otherwise`.
mlir::Value swish(NodeContext &n, mlir::Value x, double otherwise);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_ACTIVATION_H
