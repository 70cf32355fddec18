//===- StoredAs.h - the type in which kernels find a tensor -----*- C++ -*-===//

#ifndef HEDDLE_TRANSFORMS_STOREDAS_H
#define HEDDLE_TRANSFORMS_STOREDAS_H

#include "Heddle.h"
#include "ops/DequantizeViews.h"
#include "ops/TensorViews.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace heddle {

/// Returns whether kernels that read the tensor find elements of type `element` in memory: the tensor is stored in this
/// type, or is a view of such a tensor, or consists of the elements of a weight that is stored in this type. (A
/// transposition of a weight becomes a step of its recipe; a transposition of another tensor is computed in f32.)
inline bool isStoredAs(mlir::Value value, mlir::Type element) {
  // The operations that become steps of a weight's recipe (dialect/ops/WeightFolds.cpp).
  auto becomesStep = [](mlir::Operation *op) {
    if (auto slice = mlir::dyn_cast_or_null<mlir::tensor::ExtractSliceOp>(op))
      return isRecipeStep(slice);
    return isReshape(op) || mlir::isa_and_nonnull<mlir::linalg::TransposeOp>(op);
  };
  mlir::Value source = value;
  while (becomesStep(source.getDefiningOp()))
    source = source.getDefiningOp()->getOperand(0);
  mlir::Value stored = storedValue(source);
  if (!stored.getDefiningOp<WeightOp>())
    stored = storedValue(findViewedTensor(value));
  return mlir::getElementTypeOrSelf(stored) == element;
}

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_STOREDAS_H
