//===- Rounding.cpp - rounding to 16-bit and 32-bit floats ----------------===//

#include "Rounding.h"

#include <cmath>
#include <cstring>

using namespace heddle::ptx;

uint32_t heddle::ptx::roundTo(double value, unsigned exponent, unsigned fraction, Rounding rounding) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  uint32_t infinity = ((uint32_t(1) << exponent) - 1) << fraction;
  uint32_t sign = uint32_t(bits >> 63) << (exponent + fraction);
  if (std::isnan(value))
    return (uint32_t(1) << (exponent + fraction)) - 1;
  if (std::isinf(value))
    return sign | infinity;
  if (value == 0)
    return sign;
  bool away = rounding == (sign ? Rounding::Down : Rounding::Up); // whether to round away from zero
  int bias = (1 << (exponent - 1)) - 1, power;
  // frexp finds `power`, for which 2^(power - 1) <= magnitude < 2^power. `weight` is the exponent of the last bit that
  // the result keeps. The scaling is exact, because multiplication by a power of two changes only the exponent.
  double magnitude = std::fabs(value);
  std::frexp(magnitude, &power);
  int weight = std::max(power - 1, 1 - bias) - int(fraction);
  double scaled = std::ldexp(magnitude, -weight), whole = std::floor(scaled), left = scaled - whole;
  uint64_t kept = uint64_t(whole);
  if (rounding == Rounding::Nearest ? left > 0.5 || (left == 0.5 && (kept & 1)) : away && left > 0)
    ++kept;
  // In the bits of a float, the exponent field is above the fraction. So if rounding up overflows the fraction, the
  // carry increments the exponent, which is the correct result.
  int biased = weight + int(fraction) + bias; // the biased exponent; 1 for a subnormal number, too
  uint64_t result = kept + (uint64_t(biased - 1) << fraction);
  if (result >= infinity)
    return sign | (rounding == Rounding::Nearest || away ? infinity : infinity - 1);
  return sign | uint32_t(result);
}

float heddle::ptx::fromHalf(uint16_t bits) {
  unsigned exponent = bits >> 10 & 31, fraction = bits & 0x3ff;
  float magnitude = exponent == 31  ? (fraction ? NAN : INFINITY)
                    : exponent == 0 ? std::ldexp(float(fraction), -24)
                                    : std::ldexp(float(fraction | 0x400), int(exponent) - 25);
  return bits >> 15 ? -magnitude : magnitude;
}

double heddle::ptx::addToOdd(double a, double b) {
  double sum = a + b, part = sum - a, lost = (a - (sum - part)) + (b - part); // sum + lost is exactly a + b
  if (lost == 0 || !std::isfinite(sum))
    return sum;
  uint64_t bits;
  std::memcpy(&bits, &sum, sizeof bits);
  if (bits & 1)
    return sum;
  // The last bit of the rounded sum is 0. Move the sum by one unit in the last place towards the exact sum, which sets
  // this bit.
  return std::nextafter(sum, lost > 0 ? INFINITY : -INFINITY);
}
