//===- Masks.h - masks of ONNX Runtime's attention --------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_ONNXRUNTIME_MASKS_H
#define HEDDLE_IMPORT_ONNX_OPS_ONNXRUNTIME_MASKS_H

#include "../AttentionOperands.h"

namespace heddle::onnx {

/// Sets the operands' bias to the sum of `bias` and a bias with the effect of `mask`. `bias` and `mask` may be null. A
/// mask [batch, keys] or [batch, queries, keys] adds the attribute mask_filter_value to the scores where the mask is
/// not positive. A mask [batch] contains the number of valid keys of each sequence, and adds mask_filter_value to the
/// scores of later keys.
mlir::LogicalResult readMaskAndBias(NodeContext &n, AttentionOperands &operands, mlir::Value mask, mlir::Value bias);

/// Reads the attributes scale (0 means 1 / sqrt(head size)) and unidirectional (a causal mask). Yields the result of a
/// heddle.attention as [batch, queries, heads * size].
mlir::LogicalResult yieldAttention(NodeContext &n, AttentionOperands &operands);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_ONNXRUNTIME_MASKS_H
