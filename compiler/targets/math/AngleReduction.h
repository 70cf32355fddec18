//===- AngleReduction.h - angles reduced modulo pi/2 ------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_MATH_ANGLEREDUCTION_H
#define HEDDLE_TARGETS_MATH_ANGLEREDUCTION_H

#include "DoubleWord.h"

namespace heddle {

/// An angle reduced modulo pi/2: the angle is `rest` + n pi/2, where `rest` is between -pi/4 and pi/4. The two lowest
/// bits of the integer `quarter` are the two lowest bits of n; the other bits of `quarter` have no meaning. `rest.low`
/// is null for f32.
struct ReducedAngle {
  DoubleWord rest;
  mlir::Value quarter;
};

/// Emits the argument reduction of Payne and Hanek for a finite, non-negative f32 or f64, however large. The code
/// multiplies by 2/pi with integers of the same width, so its precision depends neither on FMA nor on a wider type. It
/// has no branch for large numbers.
ReducedAngle reduceAngle(MathBuilder &b, mlir::Value magnitude);

} // namespace heddle

#endif // HEDDLE_TARGETS_MATH_ANGLEREDUCTION_H
