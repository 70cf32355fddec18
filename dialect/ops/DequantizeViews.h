//===- DequantizeViews.h - views of stored tensors --------------*- C++ -*-===//

#ifndef HEDDLE_OPS_DEQUANTIZEVIEWS_H
#define HEDDLE_OPS_DEQUANTIZEVIEWS_H

#include "Heddle.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// Returns the slice, reshape or transposition `view` of the result of a heddle.dequantize with scales as a
/// heddle.dequantize of views of its operands. Null if the blocks of the view would not match blocks of the tensor.
mlir::Value dequantizedView(mlir::OpBuilder &builder, mlir::Operation *view, DequantizeOp dequantize);

/// Whether both have the same kinds of operands, element types, block sizes and outlier rows.
bool areStoredAlike(DequantizeOp a, DequantizeOp b);

/// Whether `op` has scales and all its operands are weights. Then views of its result become views of the weights,
/// which fold into their recipes.
bool isOfWeights(DequantizeOp op);

/// Whether a slice of a weight is the same in every call: its offsets and sizes do not depend on sizes in ranges.
bool isOfEveryCall(mlir::tensor::ExtractSliceOp slice);

/// Adds patterns that fold views and concatenations of dequantized weights into the weights' recipes.
void populateViewsOfDequantized(mlir::RewritePatternSet &patterns);

} // namespace heddle

#endif // HEDDLE_OPS_DEQUANTIZEVIEWS_H
