//===- Rounding.h - rounding to 16-bit and 32-bit floats --------*- C++ -*-===//

#ifndef HEDDLE_PTX_ROUNDING_H
#define HEDDLE_PTX_ROUNDING_H

#include <cstdint>

namespace heddle::ptx {

/// A rounding mode. Nearest: to the nearest number, ties to even. Zero: towards zero. Down: towards -infinity. Up:
/// towards +infinity.
enum class Rounding : uint8_t { Nearest, Zero, Down, Up };

/// Rounds a value to a float with `exponent` exponent bits (5 for f16, 8 for bf16 and f32) and `fraction` fraction bits
/// (10 for f16, 7 for bf16, 23 for f32). Returns the bits of the float. NaN becomes the NaN that GPUs produce, in which
/// all bits are set except the sign.
uint32_t roundTo(double value, unsigned exponent, unsigned fraction, Rounding rounding);

inline uint16_t toHalf(double value, Rounding rounding = Rounding::Nearest) {
  return uint16_t(roundTo(value, 5, 10, rounding));
}
inline uint16_t toBFloat(double value, Rounding rounding = Rounding::Nearest) {
  return uint16_t(roundTo(value, 8, 7, rounding));
}

float fromHalf(uint16_t bits);
inline float fromBFloat(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float value;
  __builtin_memcpy(&value, &wide, sizeof value);
  return value;
}

/// Returns a + b, rounded to odd: if a double cannot represent the sum, the result is the neighbouring double whose
/// last bit is 1. Rounding this result to f32, f16 or bf16 gives the same number as rounding the exact sum.
double addToOdd(double a, double b);

} // namespace heddle::ptx

#endif // HEDDLE_PTX_ROUNDING_H
