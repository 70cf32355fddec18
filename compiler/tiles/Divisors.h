//===- Divisors.h - common divisors of index values -------------*- C++ -*-===//

#ifndef HEDDLE_TILES_DIVISORS_H
#define HEDDLE_TILES_DIVISORS_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Value.h"
#include "mlir/IR/ValueRange.h"

namespace heddle {

/// Returns the largest known divisor of all values that an index may have, or 0 if the index is always 0.
int64_t findDivisor(mlir::Value value);
/// Returns the largest known common divisor of all results of `map` applied to `operands`, or 0 if they are always 0.
int64_t findDivisor(mlir::AffineMap map, mlir::ValueRange operands);

/// Returns whether all values that the index may have are multiples of `number`.
inline bool isMultiple(mlir::Value index, int64_t number) { return findDivisor(index) % number == 0; }

} // namespace heddle

#endif // HEDDLE_TILES_DIVISORS_H
