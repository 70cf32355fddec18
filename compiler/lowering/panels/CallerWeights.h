//===- CallerWeights.h - weights that a kernel's callers pass ---*- C++ -*-===//

#ifndef HEDDLE_LOWERING_PANELS_CALLERWEIGHTS_H
#define HEDDLE_LOWERING_PANELS_CALLERWEIGHTS_H

#include "Heddle.h"

#include "mlir/IR/PatternMatch.h"

namespace heddle {

/// The operand by which each caller passes a heddle.weight for `value`, an argument of a private function; a failure
/// where it is something else, one passes something else, or the function may have callers that we do not see.
mlir::FailureOr<llvm::SmallVector<mlir::OpOperand *>> findCallerWeights(mlir::Value value);

/// Extends the recipes of what callers pass for the argument, whose type becomes `type`. Nothing else may use these
/// operands' places meanwhile.
void extendCallerWeights(mlir::RewriterBase &rewriter, mlir::BlockArgument argument,
                         llvm::ArrayRef<mlir::OpOperand *> operands, mlir::Attribute step, mlir::RankedTensorType type);

/// Gives the function one more argument of `type` behind that one, for which callers pass the same weights through one
/// more step.
mlir::BlockArgument addCallerWeight(mlir::RewriterBase &rewriter, mlir::BlockArgument argument, mlir::Attribute step,
                                    mlir::RankedTensorType type);

} // namespace heddle

#endif // HEDDLE_LOWERING_PANELS_CALLERWEIGHTS_H
