//===- RotaryEmbedding.h - rotations that other operators use ---*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_ROTARYEMBEDDING_H
#define HEDDLE_IMPORT_ONNX_OPS_ROTARYEMBEDDING_H

#include "NodeContext.h"

#include "Heddle.h"

namespace heddle::onnx {

/// Returns the cosines or sines of each position, in the shape `expected`: [batch, number of positions, half of the
/// number of rotated elements]. If `positions` is not null, looks up a row of the table `cache` for each position. If
/// `positions` is null, returns `cache` itself. Emits an error if the shapes do not fit.
mlir::FailureOr<mlir::Value> readAngles(NodeContext &n, mlir::Value cache, mlir::Value positions,
                                        llvm::ArrayRef<Dim> expected);

/// Emits heddle.rotary_embedding on `heads`, a tensor with separate dimensions for heads and positions. If
/// `interleaved`, pairs of neighbouring elements are rotated; otherwise, each pair is an element of the first half and
/// an element of the second half of the rotated elements.
mlir::Value rotate(NodeContext &n, mlir::Value heads, mlir::Value cosine, mlir::Value sine, bool interleaved,
                   Layout layout);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_ROTARYEMBEDDING_H
