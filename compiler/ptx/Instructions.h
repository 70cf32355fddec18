//===- Instructions.h - the table of decode functions -----------*- C++ -*-===//

#ifndef HEDDLE_PTX_INSTRUCTIONS_H
#define HEDDLE_PTX_INSTRUCTIONS_H

#include "Decoder.h"

namespace heddle::ptx {

/// A function that decodes instructions with one or several mnemonics. It stores the result in Decoder::out. If an
/// instruction is wrong or not supported, the function stores a message in Decoder::error and returns false.
using Decode = bool (*)(Decoder &);

#define HEDDLE_PTX(mnemonic, decode) bool decode(Decoder &);
#include "Instructions.def"
#undef HEDDLE_PTX

} // namespace heddle::ptx

#endif // HEDDLE_PTX_INSTRUCTIONS_H
