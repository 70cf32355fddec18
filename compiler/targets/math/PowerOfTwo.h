//===- PowerOfTwo.h - powers of two -----------------------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_MATH_POWEROFTWO_H
#define HEDDLE_TARGETS_MATH_POWEROFTWO_H

#include "DoubleWord.h"

namespace heddle {

/// Returns 2^(x + shift) as f32 or f64, where x is a double word of the same type. The error is at most 0.8 units in
/// the last place, down to the smallest denormal number. The result is 0 for smaller powers and infinity on overflow.
mlir::Value powerOfTwo(MathBuilder &b, DoubleWord x, int64_t shift = 0);

/// Returns e^x 2^shift, with the precision of powerOfTwo. The type of `b` must be f64.
mlir::Value exponential(MathBuilder &b, DoubleWord x, int64_t shift = 0);

} // namespace heddle

#endif // HEDDLE_TARGETS_MATH_POWEROFTWO_H
