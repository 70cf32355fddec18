//===- Rounding.cpp - rounding to narrow floating-point types -------------===//

#include "interpreter/Rounding.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace heddle;

bool heddle::isNarrowFloat(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && element.getWidth() < 32;
}

double heddle::roundTo(FloatType type, double value) {
  if (type.isF64() || value == 0 || !std::isfinite(value))
    return value;
  if (type.isF32())
    return float(value);
  // Scaling by a power of two is exact. The value is scaled so that the last binary digit of the narrow type becomes
  // the units digit, and then rounded to an integer. Numbers below the smallest normal number are scaled by the same
  // power as this number, since their last digits have the same position.
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  int exponent = std::max<int>(std::ilogb(value), llvm::APFloat::semanticsMinExponent(semantics));
  int digits = int(type.getFPMantissaWidth()) - 1 - exponent;
  double rounded = std::scalbn(std::nearbyint(std::scalbn(value, digits)), -digits);
  // The smallest power of two that is beyond the range of the type.
  double beyond = std::scalbn(1.0, llvm::APFloat::semanticsMaxExponent(semantics) + 1);
  return std::fabs(rounded) < beyond ? rounded : std::copysign(std::numeric_limits<double>::infinity(), value);
}
