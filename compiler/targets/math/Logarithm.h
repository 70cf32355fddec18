//===- Logarithm.h - accurate binary logarithms -----------------*- C++ -*-===//

#ifndef HEDDLE_TARGETS_MATH_LOGARITHM_H
#define HEDDLE_TARGETS_MATH_LOGARITHM_H

#include "DoubleWord.h"

namespace heddle {

/// Returns log2 of a positive finite f32 or f64, which may be denormal. The result is undefined for other x. The
/// relative error is below 2^-35 for f32 and 2^-66 for f64. A power x^y is 2^(y log2(x)), where |y log2(x)| is at most
/// about 2^7 (f32) or 2^10 (f64). So the absolute error of the exponent is about 2^-28 or 2^-56, and the power is
/// accurate to the last digit.
DoubleWord binaryLogarithm(MathBuilder &b, mlir::Value x);

} // namespace heddle

#endif // HEDDLE_TARGETS_MATH_LOGARITHM_H
