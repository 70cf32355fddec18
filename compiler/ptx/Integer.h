//===- Integer.h - arithmetic on integers -----------------------*- C++ -*-===//

#ifndef HEDDLE_PTX_INTEGER_H
#define HEDDLE_PTX_INTEGER_H

#include "Decoder.h"

namespace heddle::ptx {

// Decode instructions on integers of 16, 32 or 64 bits, like the functions in Instructions.h. The caller has consumed
// the type.
bool decodeIntegerAdd(Decoder &decoder, Type type, bool subtract);
bool decodeIntegerMinimum(Decoder &decoder, Type type, bool maximum);
bool decodeIntegerDivide(Decoder &decoder, Type type, bool remainder);
bool decodeIntegerNegate(Decoder &decoder, Type type, bool absolute);
bool decodeIntegerMultiply(Decoder &decoder, Type type);
bool decodeIntegerMultiplyAdd(Decoder &decoder, Type type);

} // namespace heddle::ptx

#endif // HEDDLE_PTX_INTEGER_H
