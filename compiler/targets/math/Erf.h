//===- Erf.h - erf of f32 as a polynomial ---------------------------------===//

#ifndef HEDDLE_TARGETS_MATH_ERF_H
#define HEDDLE_TARGETS_MATH_ERF_H

#include "MathBuilder.h"

namespace heddle {

/// Emits erf of an f32 or of a vector of f32, with an absolute error of at most 2.2e-7 and a relative error of at most
/// 3.1e-7.
mlir::Value emitErf(MathBuilder &b, mlir::Value x);

} // namespace heddle

#endif // HEDDLE_TARGETS_MATH_ERF_H
