//===- Gather.h - lookups that other operators use --------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_GATHER_H
#define HEDDLE_IMPORT_ONNX_OPS_GATHER_H

#include "NodeContext.h"

namespace heddle::onnx {

/// Emits the result of ONNX's Gather: the elements of `data` at `indices` along `axis`, which must not be negative.
/// Emits an error if an index is known to be out of range. Indices that may be out of range are checked at run time.
mlir::FailureOr<mlir::Value> gather(NodeContext &n, mlir::Value data, mlir::Value indices, int64_t axis);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_GATHER_H
