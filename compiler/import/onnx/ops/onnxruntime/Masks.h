//===- Masks.h - masks as ONNX Runtime's attention has them -----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_ONNXRUNTIME_MASKS_H
#define HEDDLE_IMPORT_ONNX_OPS_ONNXRUNTIME_MASKS_H

#include "../AttentionOperands.h"

namespace heddle::onnx {

/// Adds what `mask` and `bias` (either may be null) add to scores, as the operands' bias: the attribute
/// mask_filter_value where a mask of [batch, keys] or [batch, queries, keys] is 0, or from the number of keys on where it
/// is [batch].
mlir::LogicalResult readMaskAndBias(NodeContext &n, AttentionOperands &operands, mlir::Value mask, mlir::Value bias);

/// The attributes scale (0: the default) and unidirectional, and one attention; [batch, queries, heads x size].
mlir::LogicalResult yieldAttention(NodeContext &n, AttentionOperands &operands);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_ONNXRUNTIME_MASKS_H
