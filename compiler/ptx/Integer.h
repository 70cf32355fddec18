//===- Integer.h - arithmetic on integers -----------------------*- C++ -*-===//

#ifndef HEDDLE_PTX_INTEGER_H
#define HEDDLE_PTX_INTEGER_H

#include "Decoder.h"

namespace heddle::ptx {

// Decode instructions on integers of 16, 32 or 64 bits. Like the functions in Instructions.h, they store the decoded
// instruction in Decoder::out and return false on errors. The caller has consumed the type. The flags select an
// instruction of the family: sub, max, rem or abs.
bool decodeIntegerAdd(Decoder &decoder, Type type, bool subtract);
bool decodeIntegerMinimum(Decoder &decoder, Type type, bool maximum);
bool decodeIntegerDivide(Decoder &decoder, Type type, bool remainder);
bool decodeIntegerNegate(Decoder &decoder, Type type, bool absolute);
bool decodeIntegerMultiply(Decoder &decoder, Type type);
bool decodeIntegerMultiplyAdd(Decoder &decoder, Type type);

} // namespace heddle::ptx

#endif // HEDDLE_PTX_INTEGER_H
