//===- Rounding.h - floats of few bits --------------------------*- C++ -*-===//

#ifndef HEDDLE_PTX_ROUNDING_H
#define HEDDLE_PTX_ROUNDING_H

#include <cstdint>

namespace heddle::ptx {

/// To the nearest, ties to even; towards zero, downwards, upwards.
enum class Rounding : uint8_t { Nearest, Zero, Down, Up };

/// The bits of a float, of what lies nearest in this direction. `fraction`: bits of its fraction (f16 10, bf16 7, f32
/// 23); `exponent`: those of its exponent. NaN is the one that GPUs make: all ones but the sign.
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

/// A sum that is not exact, with the last bit set: rounded again to fewer bits it gives what the exact sum would.
double addToOdd(double a, double b);

} // namespace heddle::ptx

#endif // HEDDLE_PTX_ROUNDING_H
