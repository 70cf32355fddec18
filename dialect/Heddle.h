//===- Heddle.h - the dialect's C++ declarations ----------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_HEDDLE_H
#define HEDDLE_DIALECT_HEDDLE_H

#include "LayerOpInterface.h"
#include "Notes.h"
#include "ProductUnit.h"
#include "formats/FormatPlane.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "HeddleDialect.h.inc"
#include "HeddleEnums.h.inc"
#include "Format.h.inc"
#include "FragmentKind.h.inc"
#include "ProductKind.h.inc"
#define GET_ATTRDEF_CLASSES
#include "HeddleAttrs.h.inc"

namespace heddle {
// The generated declaration of linalg's ContractionOpInterface uses these names without a namespace.
using mlir::FailureOr, mlir::OpBuilder, mlir::SmallVector, mlir::Value;

/// Verifies an op's numbered constraints. This trait is the first in each op's list of traits, so result types are
/// inferred only from operands that satisfy the constraints.
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
/// Returns the tensor that is stored in memory for `value`: the operand of heddle.dequantize if `value` is the result
/// of a heddle.dequantize that only widens elements, otherwise `value`.
mlir::Value storedValue(mlir::Value value);
/// Widens `narrow`, which was computed from storedValue(like), to the element type of `like` by heddle.dequantize.
/// Returns `narrow` if storedValue(like) is `like` itself.
mlir::Value widenedLike(mlir::OpBuilder &builder, mlir::Value narrow, mlir::Value like);
} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_H
