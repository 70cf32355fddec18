//===- Footprint.h - memory use of the interpreter --------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_INTERPRETER_FOOTPRINT_H
#define HEDDLE_DIALECT_INTERPRETER_FOOTPRINT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

// If a sum or product of these functions overflows, it is the largest uint64_t. Types without a static shape, including
// scalars, count as 0 bytes.

/// Returns the number of bytes that values of these types occupy in the interpreter: 8 bytes for each element.
uint64_t interpretedBytes(mlir::TypeRange types);

/// Returns the number of bytes that values of these types occupy in compiled code: the width of the element type for
/// each element.
uint64_t storedBytes(mlir::TypeRange types);

/// Returns the largest number of bytes that `interpret` (Interpreter.h) needs at a time for this function, in addition
/// to the arguments: for values that later operations use, for temporary copies that the current operation makes, and
/// for weights.
uint64_t peakBytes(mlir::func::FuncOp function);

} // namespace heddle

#endif // HEDDLE_DIALECT_INTERPRETER_FOOTPRINT_H
