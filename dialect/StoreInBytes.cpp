//===- StoreInBytes.cpp - quantization of a weight to bytes ---------------===//

#include "StoreInBytes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

/// Returns a heddle.weight of type `type` with the name of `weight`. Its recipe (the steps that are applied to the
/// stored tensor when a library is written) is the recipe of `weight` followed by the steps `more`.
static Value withSteps(OpBuilder &b, WeightOp weight, RankedTensorType type, ArrayRef<Attribute> more) {
  SmallVector<Attribute> steps(weight.getRecipe().getValue());
  llvm::append_range(steps, more);
  return WeightOp::create(b, weight.getLoc(), type, weight.getNameAttr(), b.getArrayAttr(steps));
}

Value heddle::storeInBytes(OpBuilder &b, WeightOp weight, ArrayRef<int64_t> block, ArrayRef<int64_t> outliers) {
  MLIRContext *context = b.getContext();
  auto type = cast<RankedTensorType>(weight.getType());
  // `blocks` is the number of blocks along each dimension, `rows` the shape of the rows that are not quantized.
  SmallVector<int64_t> blocks, rows(type.getShape());
  for (auto [size, length] : llvm::zip_equal(type.getShape(), block))
    blocks.push_back(llvm::divideCeilSigned(size, length));
  rows[0] = outliers.size();
  auto f32 = [&](ArrayRef<int64_t> shape) { return RankedTensorType::get(shape, b.getF32Type()); };
  Value bytes = withSteps(b, weight, type.clone(b.getI8Type()), QuantizeStepAttr::get(context, 8, block, outliers));
  Value scales = withSteps(b, weight, f32(blocks), ScalesStepAttr::get(context, 8, block, outliers));
  Value whole; // the rows that are not quantized, in f32; null if there are none
  if (!outliers.empty()) {
    SmallVector<Attribute> steps = {TakeStepAttr::get(context, outliers)};
    if (!type.getElementType().isF32())
      steps.push_back(CastStepAttr::get(context, b.getF32Type()));
    whole = withSteps(b, weight, f32(rows), steps);
  }
  return DequantizeOp::create(b, weight.getLoc(), f32(type.getShape()), bytes, scales, /*zero_points=*/Value(),
                              /*minima=*/Value(), whole, block, outliers);
}
