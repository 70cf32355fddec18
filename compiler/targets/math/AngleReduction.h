//===- AngleReduction.h - angles less multiples of pi/2 ---------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_MATH_ANGLEREDUCTION_H
#define HEDDLE_TARGETS_MATH_ANGLEREDUCTION_H

#include "DoubleWord.h"

namespace heddle {

/// An angle less the nearest multiple of pi/2: `rest` is from -pi/4 to pi/4, `quarter` counts the multiples, of which
/// the two lowest bits are right. `rest.low` is null in f32.
struct ReducedAngle {
  DoubleWord rest;
  mlir::Value quarter;
};

/// The reduction of Payne and Hanek, for all finite numbers of f32 or f64 that are not negative, in integers as wide:
/// neither FMA nor more digits are asked for, and there is no branch for large numbers.
ReducedAngle reduceAngle(MathBuilder &b, mlir::Value magnitude);

} // namespace heddle

#endif // HEDDLE_TARGETS_MATH_ANGLEREDUCTION_H
