/* floats.c - elements of arrays of f32, bf16 or f16. */
#include "kit.h"

#include <math.h>
#include <string.h>

/* The value of an f16, which has 5 bits of exponent and 10 of fraction. */
static double from_half(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double magnitude = exponent == 31  ? (fraction ? NAN : INFINITY)
                     : exponent == 0 ? ldexp(fraction, -24)
                                     : ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -magnitude : magnitude;
}

/* Rounds `value` to f16, towards zero. A magnitude below the smallest normal f16 becomes 0. The magnitude must not
 * exceed the largest f16. */
static uint16_t to_half(float value) {
  int exponent;
  double fraction = frexp(fabs((double)value), &exponent); /* 0.5 to 1 */
  unsigned sign = value < 0 ? 1u << 15 : 0;
  if (value == 0 || exponent < -13) /* 0, or below 2^-14, the smallest normal f16 */
    return (uint16_t)sign;
  return (uint16_t)(sign | (unsigned)(exponent + 14) << 10 | ((unsigned)(fraction * 2048) & 1023));
}

int is_float(enum heddle_type type) { return type == HEDDLE_F32 || type == HEDDLE_BF16 || type == HEDDLE_F16; }

size_t count_floats(const struct heddle_array *array) {
  return array_bytes(array) / (array->type == HEDDLE_F32 ? 4 : 2);
}

double float_at(const struct heddle_array *array, size_t at) {
  const uint16_t *narrow = array->place.host;
  if (array->type == HEDDLE_F16)
    return from_half(narrow[at]);
  if (array->type == HEDDLE_F32)
    return (double)((const float *)array->place.host)[at];
  uint32_t bits = (uint32_t)narrow[at] << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

void set_float(const struct heddle_array *array, size_t at, float value) {
  uint16_t *narrow = array->place.host;
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (array->type == HEDDLE_F32)
    ((float *)array->place.host)[at] = value;
  else
    narrow[at] = array->type == HEDDLE_F16 ? to_half(value) : (uint16_t)(bits >> 16);
}

double rounding_of(enum heddle_type type) {
  return type == HEDDLE_BF16 ? 0x1p-8 : type == HEDDLE_F16 ? 0x1p-11 : 0x1p-24;
}
