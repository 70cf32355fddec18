//===- Heads.h - splits heads -----------------------------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_HEADS_H
#define HEDDLE_IMPORT_ONNX_OPS_HEADS_H

#include "NodeContext.h"

namespace heddle::onnx {

/// Reshapes [batch, positions, heads x size] to [batch, positions, heads, size]. `attribute` is the name of the number
/// of heads in errors.
mlir::FailureOr<mlir::Value> splitHeads(NodeContext &n, mlir::Value value, llvm::StringRef attribute, int64_t heads);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_HEADS_H
