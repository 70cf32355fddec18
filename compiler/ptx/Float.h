//===- Float.h - arithmetic on floats ---------------------------*- C++ -*-===//

#ifndef HEDDLE_PTX_FLOAT_H
#define HEDDLE_PTX_FLOAT_H

#include "Decoder.h"

namespace heddle::ptx {

enum class HalfOp { Add, Subtract, Multiply, MultiplyAdd, Minimum, Maximum, MinimumNaN, MaximumNaN };

// Decode instructions on f16, bf16 and pairs of these types. The caller has consumed the type.
bool decodeHalfArithmetic(Decoder &decoder, Type type, bool flush, HalfOp op);
bool decodeHalfSign(Decoder &decoder, Type type, bool flush, bool absolute);

} // namespace heddle::ptx

#endif // HEDDLE_PTX_FLOAT_H
