//===- Float.h - arithmetic on 16-bit floats --------------------*- C++ -*-===//

#ifndef HEDDLE_PTX_FLOAT_H
#define HEDDLE_PTX_FLOAT_H

#include "Decoder.h"

namespace heddle::ptx {

/// An operation on f16 or bf16. Minimum and Maximum ignore an operand that is NaN; MinimumNaN and MaximumNaN return
/// NaN.
enum class HalfOp { Add, Subtract, Multiply, MultiplyAdd, Minimum, Maximum, MinimumNaN, MaximumNaN };

// Decode instructions on f16, bf16 and pairs of these types. The caller has consumed the type and `.ftz`; `flush` is
// whether the instruction has `.ftz`, which these functions refuse. decodeHalfSign decodes abs (`absolute`) or neg.
bool decodeHalfArithmetic(Decoder &decoder, Type type, bool flush, HalfOp op);
bool decodeHalfSign(Decoder &decoder, Type type, bool flush, bool absolute);

} // namespace heddle::ptx

#endif // HEDDLE_PTX_FLOAT_H
