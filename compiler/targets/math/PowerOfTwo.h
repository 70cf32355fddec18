//===- PowerOfTwo.h - powers of two ------------------------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_MATH_POWEROFTWO_H
#define HEDDLE_TARGETS_MATH_POWEROFTWO_H

#include "DoubleWord.h"

namespace heddle {

/// Returns 2^(x + shift) of f32 or f64, to 0.8 units in the last place, down to the smallest denormal number; 0 below
/// it and infinity on overflow.
mlir::Value powerOfTwo(MathBuilder &b, DoubleWord x, int64_t shift = 0);

/// Returns e^x 2^shift of f64, with the same precision.
mlir::Value exponential(MathBuilder &b, DoubleWord x, int64_t shift = 0);

} // namespace heddle

#endif // HEDDLE_TARGETS_MATH_POWEROFTWO_H
