//===- TransformOps.h - transform ops that strategies are written with ----===//

#ifndef HEDDLE_LOWERING_TRANSFORMOPS_H
#define HEDDLE_LOWERING_TRANSFORMOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/Dialect/Transform/Interfaces/MatchInterfaces.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace heddle::transforms {
/// Reads the parameters, modifies the payload, and consumes or reads the target (operand 0).
void addEffects(mlir::Operation *op, bool consumed,
                llvm::SmallVectorImpl<mlir::MemoryEffects::EffectInstance> &effects);
/// The integer that a parameter holds.
mlir::FailureOr<int64_t> getInteger(mlir::transform::TransformState &state, mlir::Value param);
/// The integers that parameters hold. Fails where one of them is not positive.
mlir::FailureOr<llvm::SmallVector<int64_t>> getPositive(mlir::transform::TransformState &state,
                                                        mlir::ValueRange params);
} // namespace heddle::transforms

#define GET_OP_CLASSES
#include "HeddleTransformOps.h.inc"

#endif // HEDDLE_LOWERING_TRANSFORMOPS_H
