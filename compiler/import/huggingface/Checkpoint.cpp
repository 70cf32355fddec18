//===- Checkpoint.cpp - the weights of a model ----------------------------===//

#include "Checkpoint.h"

using namespace mlir;
using namespace heddle;

void heddle::addPart(SmallVectorImpl<Attribute> &steps, SmallVectorImpl<int64_t> &shape,
                     const Checkpoint::Layout::Part &part, MLIRContext *context) {
  SmallVector<int64_t> offsets(shape.size());
  offsets[part.dim] = part.begin;
  int64_t size = std::exchange(shape[part.dim], part.size);
  if (part.groups == 1) {
    steps.push_back(SliceStepAttr::get(context, offsets, shape));
    return;
  }
  offsets.insert(offsets.begin() + part.dim, 0);
  shape.insert(shape.begin() + part.dim, part.groups);
  SmallVector<int64_t> groups(shape.begin(), shape.end());
  groups[part.dim + 1] = size / part.groups;
  steps.push_back(ReshapeStepAttr::get(context, groups));
  steps.push_back(SliceStepAttr::get(context, offsets, shape));
  shape.erase(shape.begin() + part.dim);
  shape[part.dim] *= part.groups;
  steps.push_back(ReshapeStepAttr::get(context, shape));
}

SmallVector<int64_t> Checkpoint::storedShape(const Layout &layout) {
  SmallVector<int64_t> stored(layout.shape);
  if (layout.transposed)
    std::swap(stored[0], stored[1]);
  return stored;
}

Value Checkpoint::floats(ImplicitLocOpBuilder &builder, StringRef name, const StoredTensor *tensor,
                         SmallVector<Attribute> steps, const Layout &layout) {
  MLIRContext *context = builder.getContext();
  SmallVector<int64_t> shape(layout.shape);
  if (layout.transposed)
    steps.push_back(TransposeStepAttr::get(context, {1, 0}));
  if (layout.part)
    addPart(steps, shape, *layout.part, context);
  // Imported layers compute in f32, whatever type the weights are stored in. Later stages apply `--precision`.
  Type f32 = builder.getF32Type();
  if (tensor && tensor->type.getElementType() != f32)
    steps.push_back(CastStepAttr::get(context, f32));
  return WeightOp::create(builder, RankedTensorType::get(shape, f32), builder.getStringAttr(name),
                          builder.getArrayAttr(steps));
}
