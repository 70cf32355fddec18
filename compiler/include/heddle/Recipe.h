//===- Recipe.h - evaluation of weight recipes ------------------*- C++ -*-===//

#ifndef HEDDLE_RECIPE_H
#define HEDDLE_RECIPE_H

#include "heddle/WeightStore.h"

#include "Heddle.h"

namespace heddle {

/// The type of a tensor of type `stored` after the steps of `recipe`. A recipe is the list of steps, such as a
/// transposition, that compute a weight from a stored tensor when a library is written. A step may refer to other
/// tensors of `store`. Emits an error at `loc` if a step cannot be applied, a result is too large to store, or recipes
/// are nested too deeply.
mlir::FailureOr<mlir::RankedTensorType> inferRecipeType(mlir::Location loc, mlir::RankedTensorType stored,
                                                        mlir::ArrayAttr recipe, const WeightStore &store);

/// Computes the bytes of the result of `weight` (row-major, little-endian, one byte for each i1). Emits an error if the
/// store does not contain the tensor, a step cannot be applied, or the type of the result differs from that of
/// `weight`.
mlir::FailureOr<std::vector<char>> evaluateRecipe(WeightOp weight, const WeightStore &store);

} // namespace heddle

#endif // HEDDLE_RECIPE_H
