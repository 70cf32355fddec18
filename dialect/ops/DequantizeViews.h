//===- DequantizeViews.h - views of dequantized tensors ---------*- C++ -*-===//

#ifndef HEDDLE_OPS_DEQUANTIZEVIEWS_H
#define HEDDLE_OPS_DEQUANTIZEVIEWS_H

#include "Heddle.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// `view` is a slice, reshape or transposition of the result of `dequantize`. Returns the result of a new
/// heddle.dequantize, whose operands are views of the operands of `dequantize`. Returns null if `dequantize` has no
/// scales, or if no heddle.dequantize can compute the view: its elements do not form blocks with one scale each, its
/// outliers would not be rows or their indices would not be known, or it is a transposition or reshape with a dynamic
/// size.
mlir::Value dequantizedView(mlir::OpBuilder &builder, mlir::Operation *view, DequantizeOp dequantize);

/// Whether both operations have the same kinds of operands, element types, block sizes and outlier rows.
bool areStoredAlike(DequantizeOp a, DequantizeOp b);

/// Whether `op` has scales and all its operands are weights. Then views of the result of `op` become views of the
/// weights, which are folded into the weights' recipes (the steps that are applied when a library is written). `op` may
/// be null.
bool isOfWeights(DequantizeOp op);

/// Whether a slice of a weight is the same in every call, that is, whether its static offsets and sizes do not depend
/// on placeholders (the numbers that represent, in types, sizes that lie in ranges).
bool isOfEveryCall(mlir::tensor::ExtractSliceOp slice);

/// Returns whether a slice of a weight becomes a step of the weight's recipe: the slice has constant offsets and sizes
/// that are the same in every call, and unit strides.
bool isRecipeStep(mlir::tensor::ExtractSliceOp slice);

/// Adds patterns that fold views and concatenations of dequantized weights into the recipes of these weights.
void populateViewsOfDequantized(mlir::RewritePatternSet &patterns);

} // namespace heddle

#endif // HEDDLE_OPS_DEQUANTIZEVIEWS_H
