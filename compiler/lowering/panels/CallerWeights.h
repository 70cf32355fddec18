//===- CallerWeights.h - weights that a kernel's callers pass ---*- C++ -*-===//

#ifndef HEDDLE_LOWERING_PANELS_CALLERWEIGHTS_H
#define HEDDLE_LOWERING_PANELS_CALLERWEIGHTS_H

#include "Heddle.h"

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// The operand by which each caller passes a heddle.weight for `value`, an argument of a private function; a failure
/// where it is something else, one passes something else, or the function may have callers that we do not see.
mlir::FailureOr<llvm::SmallVector<mlir::OpOperand *>> findCallerWeights(mlir::Value value);

/// Extends the recipes of what callers pass for `value`, as findCallerWeights has it, by the step of each call; its
/// type becomes `type`.
void extendCallerWeights(mlir::RewriterBase &rewriter, mlir::Value value, mlir::RankedTensorType type,
                         llvm::function_ref<mlir::Attribute(mlir::func::CallOp)> step);

} // namespace heddle

#endif // HEDDLE_LOWERING_PANELS_CALLERWEIGHTS_H
