//===- Heads.h - heads in the last dimension of a tensor --------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_HEADS_H
#define HEDDLE_IMPORT_ONNX_OPS_HEADS_H

#include "NodeContext.h"

namespace heddle::onnx {

/// [batch, positions, heads x size] as [batch, positions, heads, size]; errors call the number of heads `attribute`.
mlir::FailureOr<mlir::Value> splitHeads(NodeContext &n, mlir::Value value, llvm::StringRef attribute, int64_t heads);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_HEADS_H
