//===- TransformOps.h - helpers of Heddle's transform ops -----------------===//

#ifndef HEDDLE_LOWERING_TRANSFORMOPS_H
#define HEDDLE_LOWERING_TRANSFORMOPS_H

#include "Heddle.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/Dialect/Transform/Interfaces/MatchInterfaces.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace heddle::transforms {
/// Adds the memory effects of a transform op whose operand 0 is its target and whose other operands are parameters. The
/// op reads the parameters, modifies the payload, and consumes (if `consumed`) or reads the handle of the target.
void addEffects(mlir::Operation *op, bool consumed,
                llvm::SmallVectorImpl<mlir::MemoryEffects::EffectInstance> &effects);
/// Returns the result of the match op `op`: success if `reason` is empty, and otherwise a failure with the message
/// `reason`, which must explain why the strategy does not apply to the payload.
mlir::DiagnosedSilenceableFailure matchUnless(mlir::Operation *op, const std::string &reason);
/// Returns the value of an integer parameter; fails if `param` is not a single integer.
mlir::FailureOr<int64_t> getInteger(mlir::transform::TransformState &state, mlir::Value param);
/// Returns the values of integer parameters; fails if any of them is not a positive integer.
mlir::FailureOr<llvm::SmallVector<int64_t>> getPositive(mlir::transform::TransformState &state,
                                                        mlir::ValueRange params);
} // namespace heddle::transforms

#define GET_OP_CLASSES
#include "HeddleTransformOps.h.inc"

#endif // HEDDLE_LOWERING_TRANSFORMOPS_H
