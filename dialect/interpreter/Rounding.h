//===- Rounding.h - doubles as floats of fewer digits -----------*- C++ -*-===//

#ifndef HEDDLE_DIALECT_INTERPRETER_ROUNDING_H
#define HEDDLE_DIALECT_INTERPRETER_ROUNDING_H

#include "mlir/IR/BuiltinTypes.h"

namespace heddle {

/// Whether the type, or its elements, are floats that have fewer bits than f32.
bool isNarrowFloat(mlir::Type type);

/// The nearest number of a float type, the even one of two; beyond the largest, an infinity.
double roundTo(mlir::FloatType type, double value);

} // namespace heddle

#endif // HEDDLE_DIALECT_INTERPRETER_ROUNDING_H
