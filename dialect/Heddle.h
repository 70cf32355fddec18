//===- Heddle.h - the dialect's C++ declarations ----------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_HEDDLE_H
#define HEDDLE_DIALECT_HEDDLE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "HeddleDialect.h.inc"
#include "HeddleEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "HeddleAttrs.h.inc"
#define GET_OP_CLASSES
#include "HeddleOps.h.inc"

#endif // HEDDLE_DIALECT_HEDDLE_H
