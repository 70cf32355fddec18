//===- Footprint.h - the memory that interpretation takes -------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_INTERPRETER_FOOTPRINT_H
#define HEDDLE_DIALECT_INTERPRETER_FOOTPRINT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

// Sums and products end at the largest number; what has no static shape counts as nothing.

/// Bytes that values of these types take in the interpreter, where every element has 8.
uint64_t interpretedBytes(mlir::TypeRange types);

/// Bytes that they take as the compiled code has them.
uint64_t storedBytes(mlir::TypeRange types);

/// Bytes that `interpret` holds at most at a time besides the arguments: values that are still to be used, what an
/// operation copies while it is evaluated, the weights.
uint64_t peakBytes(mlir::func::FuncOp function);

} // namespace heddle

#endif // HEDDLE_DIALECT_INTERPRETER_FOOTPRINT_H
