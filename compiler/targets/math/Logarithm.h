//===- Logarithm.h - accurate binary logarithms -----------------*- C++ -*-===//
// 10, is accurate to the last digit.

#ifndef HEDDLE_TARGETS_MATH_LOGARITHM_H
#define HEDDLE_TARGETS_MATH_LOGARITHM_H

#include "DoubleWord.h"

namespace heddle {

/// Returns log2 of x, a positive finite number of f32 or f64, including denormal numbers; undefined for other x. The
/// relative error is below 2^-35 for f32 and 2^-66 for f64, so that a power, whose exponent multiplies it by up to 2^7
/// or
DoubleWord binaryLogarithm(MathBuilder &b, mlir::Value x);

} // namespace heddle

#endif // HEDDLE_TARGETS_MATH_LOGARITHM_H
