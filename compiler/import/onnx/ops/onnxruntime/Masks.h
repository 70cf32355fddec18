//===- Masks.h - masks of ONNX Runtime's attention --------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_ONNX_OPS_ONNXRUNTIME_MASKS_H
#define HEDDLE_IMPORT_ONNX_OPS_ONNXRUNTIME_MASKS_H

#include "../AttentionOperands.h"

namespace heddle::onnx {

/// Sets the operands' bias to the sum of `bias` and the bias of `mask`; either may be null. The mask adds the attribute
/// mask_filter_value where it is 0, if it is [batch, keys] or [batch, queries, keys]; if it is [batch], it is the
/// number of valid keys, and later keys get the value.
mlir::LogicalResult readMaskAndBias(NodeContext &n, AttentionOperands &operands, mlir::Value mask, mlir::Value bias);

/// Reads the attributes scale (0: the default) and unidirectional, and yields one attention, [batch, queries, heads x
/// size].
mlir::LogicalResult yieldAttention(NodeContext &n, AttentionOperands &operands);

} // namespace heddle::onnx

#endif // HEDDLE_IMPORT_ONNX_OPS_ONNXRUNTIME_MASKS_H
