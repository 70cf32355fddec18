//===- Rounding.h - rounding to narrow floating-point types -----*- C++ -*-===//

#ifndef HEDDLE_DIALECT_INTERPRETER_ROUNDING_H
#define HEDDLE_DIALECT_INTERPRETER_ROUNDING_H

#include "mlir/IR/BuiltinTypes.h"

namespace heddle {

/// Whether `type`, or the element type of a shaped type, is a floating-point type with fewer bits than f32.
bool isNarrowFloat(mlir::Type type);

/// Rounds `value` to the nearest number of the type `type`, ties to even. A finite value that would be rounded to more
/// than the largest finite number of the type in magnitude becomes an infinity.
double roundTo(mlir::FloatType type, double value);

} // namespace heddle

#endif // HEDDLE_DIALECT_INTERPRETER_ROUNDING_H
