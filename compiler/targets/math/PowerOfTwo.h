//===- PowerOfTwo.h - powers of two ------------------------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_MATH_POWEROFTWO_H
#define HEDDLE_TARGETS_MATH_POWEROFTWO_H

#include "DoubleWord.h"

namespace heddle {

/// 2^(x + shift) of f32 or f64, to 0.8 of the last digit; down to the least denormal number, 0 below and infinity above.
mlir::Value powerOfTwo(MathBuilder &b, DoubleWord x, int64_t shift = 0);

/// e^x 2^shift of f64, likewise.
mlir::Value exponential(MathBuilder &b, DoubleWord x, int64_t shift = 0);

} // namespace heddle

#endif // HEDDLE_TARGETS_MATH_POWEROFTWO_H
