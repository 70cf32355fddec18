//===- Materialize.cpp - builds the tensors that views describe -----------===//

#include "View.h"

#include "Heddle.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace heddle;

/// Returns the weight with `step`, a reshape or a transpose, added to its recipe, and with the shape `sizes`. A recipe
/// contains the steps that are applied to a stored weight when a library is written.
static Value extendRecipe(OpBuilder &builder, WeightOp weight, Attribute step, ArrayRef<int64_t> sizes) {
  SmallVector<Attribute> recipe(weight.getRecipe().begin(), weight.getRecipe().end());
  recipe.push_back(step);
  auto type = weight.getType().clone(sizes);
  return WeightOp::create(builder, weight.getLoc(), type, weight.getNameAttr(), builder.getArrayAttr(recipe));
}

Value heddle::reshape(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> sizes) {
  auto source = cast<RankedTensorType>(value.getType());
  if (source.getShape() == sizes)
    return value;
  if (auto weight = value.getDefiningOp<WeightOp>())
    return extendRecipe(builder, weight, ReshapeStepAttr::get(builder.getContext(), sizes), sizes);
  RankedTensorType target = source.clone(sizes);
  if (source.getRank() != target.getRank())
    if (auto groups = getReassociationIndicesForReshape(source, target)) {
      if (source.getRank() < target.getRank())
        return tensor::ExpandShapeOp::create(builder, loc, target, value, *groups);
      return tensor::CollapseShapeOp::create(builder, loc, target, value, *groups);
    }
  // Otherwise, collapse the value to one dimension and expand it to `sizes`.
  auto allInOne = [](int64_t rank) {
    ReassociationIndices group;
    for (int64_t k = 0; k < rank; ++k)
      group.push_back(k);
    return rank ? SmallVector<ReassociationIndices>{group} : SmallVector<ReassociationIndices>{};
  };
  if (source.getRank() != 1)
    value = tensor::CollapseShapeOp::create(builder, loc, source.clone({source.getNumElements()}), value,
                                            allInOne(source.getRank()));
  if (target.getRank() != 1)
    value = tensor::ExpandShapeOp::create(builder, loc, target, value, allInOne(target.getRank()));
  return value;
}

/// Builds a tensor whose dimension i is dimension permutation[i] of `value`.
static Value transpose(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> sizes;
  bool identity = true;
  for (auto [index, source] : llvm::enumerate(permutation)) {
    sizes.push_back(type.getDimSize(source));
    identity &= int64_t(index) == source;
  }
  if (identity)
    return value;
  if (auto weight = value.getDefiningOp<WeightOp>())
    return extendRecipe(builder, weight, TransposeStepAttr::get(builder.getContext(), permutation), sizes);
  Value init = tensor::EmptyOp::create(builder, loc, sizes, type.getElementType());
  return linalg::TransposeOp::create(builder, loc, value, init, permutation).getResult()[0];
}

Value heddle::materialize(OpBuilder &builder, Location loc, const View &view, bool keepOnes) {
  // `order` lists those dimensions of the view that have a stride other than 0, in descending order of strides. This is
  // their order in the base (the tensor to whose elements the strides refer). Dimensions of size 1 keep their position
  // in the view, so [1, S, H * D] splits into heads in the same way as [B, S, H * D].
  SmallVector<int64_t> order, repeated;
  for (unsigned dim = 0; dim < view.rank(); ++dim)
    if (view.sizes[dim] != 1 && view.strides[dim] != 0)
      order.push_back(dim);
  llvm::sort(order, [&](int64_t a, int64_t b) { return view.strides[a] > view.strides[b]; });
  for (unsigned dim = 0; dim < view.rank(); ++dim) {
    if (view.sizes[dim] != 1 && view.strides[dim] != 0)
      continue;
    if (view.sizes[dim] == 1 || keepOnes)
      order.insert(order.begin() + std::min<size_t>(dim, order.size()), dim);
    else
      repeated.push_back(dim);
  }
  SmallVector<int64_t> stored, sorted = order;
  for (int64_t dim : order)
    stored.push_back(view.strides[dim] == 0 ? 1 : view.sizes[dim]);
  Value value = reshape(builder, loc, view.base, stored);

  // The dimensions of the base are in the order that `order` lists. Transpose the base to the order of the view.
  llvm::sort(sorted);
  SmallVector<int64_t> permutation;
  for (int64_t dim : sorted)
    permutation.push_back(llvm::find(order, dim) - order.begin());
  value = transpose(builder, loc, value, permutation);
  if (repeated.empty())
    return value;
  Value init = tensor::EmptyOp::create(builder, loc, view.sizes,
                                       cast<RankedTensorType>(value.getType()).getElementType());
  return linalg::BroadcastOp::create(builder, loc, value, init, repeated).getResult()[0];
}
