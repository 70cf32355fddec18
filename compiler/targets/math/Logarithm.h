//===- Logarithm.h - binary logarithms with digits to spare -----*- C++ -*-===//

#ifndef HEDDLE_TARGETS_MATH_LOGARITHM_H
#define HEDDLE_TARGETS_MATH_LOGARITHM_H

#include "DoubleWord.h"

namespace heddle {

/// log2 of x, a positive finite number of f32 or f64, denormals too; of anything else no number that means anything.
/// The relative error is below 2^-35 in f32 and 2^-66 in f64, so that a power, whose exponent multiplies it by up to 2^7
/// or 2^10, is right to the last digit.
DoubleWord binaryLogarithm(MathBuilder &b, mlir::Value x);

} // namespace heddle

#endif // HEDDLE_TARGETS_MATH_LOGARITHM_H
