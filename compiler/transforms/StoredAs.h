//===- StoredAs.h - the type in which kernels find a tensor -----*- C++ -*-===//

#ifndef HEDDLE_TRANSFORMS_STOREDAS_H
#define HEDDLE_TRANSFORMS_STOREDAS_H

#include "Heddle.h"
#include "ops/TensorViews.h"

namespace heddle {

/// Returns whether kernels that read the tensor find elements of type `element` in memory: the tensor is stored in this
/// type, or is a view of such a tensor, or consists of the elements of a weight that is stored in this type. (A
/// transposition of a weight becomes a step of its recipe; a transposition of another tensor is computed in f32.)
inline bool isStoredAs(mlir::Value value, mlir::Type element) {
  mlir::Value moved = storedValue(findMoved(value));
  mlir::Value stored = moved.getDefiningOp<WeightOp>() ? moved : storedValue(findViewedTensor(value));
  return mlir::getElementTypeOrSelf(stored) == element;
}

} // namespace heddle

#endif // HEDDLE_TRANSFORMS_STOREDAS_H
