//===- Heads.h - splits a dimension into heads ------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_HEADS_H
#define HEDDLE_IMPORT_ONNX_OPS_HEADS_H

#include "NodeContext.h"

namespace heddle::onnx {

/// Reshapes [batch, positions, heads * size] to [batch, positions, heads, size]. Emits an error if the last dimension
/// depends on sizes, or if `heads` is not positive or does not divide it. `attribute`, the name of the attribute with
/// the number of heads, is used in errors.
mlir::FailureOr<mlir::Value> splitHeads(NodeContext &n, mlir::Value value, llvm::StringRef attribute, int64_t heads);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_HEADS_H
