//===- Instructions.h - the table of decode functions -----------*- C++ -*-===//

#ifndef HEDDLE_PTX_INSTRUCTIONS_H
#define HEDDLE_PTX_INSTRUCTIONS_H

#include "Decoder.h"

namespace heddle::ptx {

/// A function that decodes an instruction of one or several mnemonics into Decoder::out. It returns false if the
/// instruction is wrong or not supported.
using Decode = bool (*)(Decoder &);

#define HEDDLE_PTX(mnemonic, decode) bool decode(Decoder &);
#include "Instructions.def"
#undef HEDDLE_PTX

} // namespace heddle::ptx

#endif // HEDDLE_PTX_INSTRUCTIONS_H
