//===- Footprint.h - memory use of the interpreter --------------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_INTERPRETER_FOOTPRINT_H
#define HEDDLE_DIALECT_INTERPRETER_FOOTPRINT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

// Sums and products saturate. Types without a static shape count as 0 bytes.

/// The bytes that values of these types take in the interpreter, where each element takes 8 bytes.
uint64_t interpretedBytes(mlir::TypeRange types);

/// The bytes that values of these types take in compiled code.
uint64_t storedBytes(mlir::TypeRange types);

/// The peak of the bytes that `interpret` holds besides the arguments: values that are still needed, temporary copies
/// of the current operation, and weights.
uint64_t peakBytes(mlir::func::FuncOp function);

} // namespace heddle

#endif // HEDDLE_DIALECT_INTERPRETER_FOOTPRINT_H
