//===- CallerWeights.h - weights that a kernel's callers pass ---*- C++ -*-===//

#ifndef HEDDLE_LOWERING_PANELS_CALLERWEIGHTS_H
#define HEDDLE_LOWERING_PANELS_CALLERWEIGHTS_H

#include "Heddle.h"

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// If `value` is an argument of a private function for which every call passes a heddle.weight, returns the operands of
/// the calls that pass these weights. Fails otherwise, and if calls are unknown or there are none.
mlir::FailureOr<llvm::SmallVector<mlir::OpOperand *>> findCallerWeights(mlir::Value value);

/// findCallerWeights(`value`) must succeed. For each call of the function, appends the step that `step` returns for
/// this call to the recipe of the weight that the call passes for `value` (see findCallerWeights). A recipe is the list
/// of steps that compute a weight from a stored tensor when a library is written. The type of `value` becomes `type`.
void extendCallerWeights(mlir::RewriterBase &rewriter, mlir::Value value, mlir::RankedTensorType type,
                         llvm::function_ref<mlir::Attribute(mlir::func::CallOp)> step);

} // namespace heddle

#endif // HEDDLE_LOWERING_PANELS_CALLERWEIGHTS_H
