//===- Heddle.h - the dialect's C++ declarations ----------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_HEDDLE_H
#define HEDDLE_DIALECT_HEDDLE_H

#include "LayerOpInterface.h"
#include "Notes.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "HeddleDialect.h.inc"
#include "HeddleEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "HeddleAttrs.h.inc"

namespace heddle {
// What the declaration of linalg's interface leaves unqualified.
using mlir::FailureOr, mlir::OpBuilder, mlir::SmallVector, mlir::Value;

/// Checks an op's numbered constraints. First in each op's list of traits, so that result
/// types are inferred only from operands that keep them.
template <typename ConcreteOp>
struct ChecksConstraints : public mlir::OpTrait::TraitBase<ConcreteOp, ChecksConstraints> {
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    return mlir::cast<ConcreteOp>(op).verifyConstraints();
  }
};
} // namespace heddle

#define GET_OP_CLASSES
#include "HeddleOps.h.inc"

namespace heddle {
/// What is in memory of a tensor that is read: the operand of heddle.dequantize, or the tensor.
mlir::Value storedValue(mlir::Value value);
/// `narrow`, made of what is stored of `like`, with elements as those of `like`.
mlir::Value widenedLike(mlir::OpBuilder &builder, mlir::Value narrow, mlir::Value like);
} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_H
