//===- RotaryEmbedding.h - rotations that other operators use ---*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_ROTARYEMBEDDING_H
#define HEDDLE_IMPORT_ONNX_OPS_ROTARYEMBEDDING_H

#include "NodeContext.h"

#include "Heddle.h"

namespace heddle::onnx {

/// The cosine or sine of each position, in the shape `expected`, [batch, positions, half]. It is a row of a table for
/// each position id, or `cache` itself if there are no ids.
mlir::FailureOr<mlir::Value> readAngles(NodeContext &n, mlir::Value cache, mlir::Value positions,
                                        llvm::ArrayRef<Dim> expected);

/// Emits heddle.rotary_embedding on `heads` with separate dimensions for heads and positions.
mlir::Value rotate(NodeContext &n, mlir::Value heads, mlir::Value cosine, mlir::Value sine, bool interleaved,
                   Layout layout);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_ROTARYEMBEDDING_H
