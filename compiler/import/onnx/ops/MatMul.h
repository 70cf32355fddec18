//===- MatMul.h - products that other operators use -------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_MATMUL_H
#define HEDDLE_IMPORT_ONNX_OPS_MATMUL_H

#include "NodeContext.h"

namespace heddle::onnx {

/// Emits numpy's matmul: a vector is treated as a row if it is `a` and as a column if it is `b`, and leading dimensions
/// broadcast.
mlir::FailureOr<mlir::Value> matmul(NodeContext &n, mlir::Value a, mlir::Value b);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_MATMUL_H
