//===- Activation.h - activations that several operators use ----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_ACTIVATION_H
#define HEDDLE_IMPORT_ONNX_OPS_ACTIVATION_H

#include "NodeContext.h"

namespace heddle::onnx {

/// 1 / (1 + exp(-x))
mlir::Value sigmoid(Emitter &b, mlir::Value x);

/// x/2 (1 + erf(x / sqrt 2)) or, if `byTanh`, its approximation with tanh. Emits the operations that PyTorch's exporter
/// writes before opset 20; from this opset on, ONNX has the operator Gelu.
mlir::Value gelu(Emitter &b, mlir::Value x, bool byTanh);

/// x * sigmoid(alpha * x). `otherwise` is the default of the attribute alpha of the node.
mlir::Value swish(NodeContext &n, mlir::Value x, double otherwise);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_ACTIVATION_H
