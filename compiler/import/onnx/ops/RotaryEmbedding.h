//===- RotaryEmbedding.h - rotations for operators with one -----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_ROTARYEMBEDDING_H
#define HEDDLE_IMPORT_ONNX_OPS_ROTARYEMBEDDING_H

#include "NodeContext.h"

#include "Heddle.h"

namespace heddle::onnx {

/// Cosine or sine of each position, of shape `expected`, [batch, positions, half]: a row of a table for each position
/// id, or given as such.
mlir::FailureOr<mlir::Value> readAngles(NodeContext &n, mlir::Value cache, mlir::Value positions,
                                        llvm::ArrayRef<Dim> expected);

/// heddle.rotary_embedding of heads and positions apart.
mlir::Value rotate(NodeContext &n, mlir::Value heads, mlir::Value cosine, mlir::Value sine, bool interleaved,
                   Layout layout);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_ROTARYEMBEDDING_H
