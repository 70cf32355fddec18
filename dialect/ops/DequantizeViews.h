//===- DequantizeViews.h - views of stored tensors --------------*- C++ -*-===//

#ifndef HEDDLE_OPS_DEQUANTIZEVIEWS_H
#define HEDDLE_OPS_DEQUANTIZEVIEWS_H

#include "Heddle.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// What a slice, reshape or transposition makes of the result of a heddle.dequantize with scales, made of views of its
/// operands; null where a block of the view would be none of the tensor.
mlir::Value dequantizedView(mlir::OpBuilder &builder, mlir::Operation *view, DequantizeOp dequantize);

/// Whether both have operands of the same kinds, blocks and exact rows.
bool areStoredAlike(DequantizeOp a, DequantizeOp b);

/// Whether all that heddle.dequantize with scales is of are weights, so that views of it become views of these, which
/// fold into their recipes.
bool isOfWeights(DequantizeOp op);

/// Whether a slice of a weight is the same in every call.
bool isOfEveryCall(mlir::tensor::ExtractSliceOp slice);

/// Views of such, and several side by side.
void populateViewsOfDequantized(mlir::RewritePatternSet &patterns);

} // namespace heddle

#endif // HEDDLE_OPS_DEQUANTIZEVIEWS_H
