//===- Recipe.h - what a stored tensor becomes ------------------*- C++ -*-===//

#ifndef HEDDLE_RECIPE_H
#define HEDDLE_RECIPE_H

#include "heddle/WeightStore.h"

#include "Heddle.h"

namespace heddle {

/// Type of `stored` after the steps of `recipe`, or failure with an error at
/// `loc` that names the step.
mlir::FailureOr<mlir::RankedTensorType> inferRecipeType(mlir::Location loc, mlir::RankedTensorType stored,
                                                        mlir::ArrayAttr recipe, const WeightStore &store);

/// The bytes (row-major, little-endian, one byte per i1) of what `weight`
/// yields. Errors: no such tensor, a step that does not fit, a result type
/// other than the operation's.
mlir::FailureOr<std::vector<char>> evaluateRecipe(WeightOp weight, const WeightStore &store);

} // namespace heddle

#endif // HEDDLE_RECIPE_H
