//===- AngleReduction.h - angles reduced modulo pi/2 ------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_MATH_ANGLEREDUCTION_H
#define HEDDLE_TARGETS_MATH_ANGLEREDUCTION_H

#include "DoubleWord.h"

namespace heddle {

/// An angle minus the nearest multiple of pi/2: `rest` is between -pi/4 and pi/4, and `quarter` is the number of the
/// multiple, of which the two lowest bits are valid. `rest.low` is null for f32.
struct ReducedAngle {
  DoubleWord rest;
  mlir::Value quarter;
};

/// Emits the argument reduction of Payne and Hanek for any finite, non-negative number of f32 or f64, in integers of
/// the same width. It needs neither FMA nor a wider type, and has no branch for large numbers.
ReducedAngle reduceAngle(MathBuilder &b, mlir::Value magnitude);

} // namespace heddle

#endif // HEDDLE_TARGETS_MATH_ANGLEREDUCTION_H
