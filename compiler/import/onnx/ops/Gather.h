//===- Gather.h - lookups for operators that contain one --------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_GATHER_H
#define HEDDLE_IMPORT_ONNX_OPS_GATHER_H

#include "NodeContext.h"

namespace heddle::onnx {

/// What ONNX's Gather yields: `data` at `indices` along `axis`.
mlir::FailureOr<mlir::Value> gather(NodeContext &n, mlir::Value data, mlir::Value indices, int64_t axis);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_GATHER_H
