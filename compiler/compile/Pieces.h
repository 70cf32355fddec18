//===- Pieces.h - writes large files piece by piece -------------*- C++ -*-===//

#ifndef HEDDLE_COMPILE_PIECES_H
#define HEDDLE_COMPILE_PIECES_H

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle {

/// Writes `bytes` in pieces through the buffer of an output file (OutputFile.h). If the bytes are part of `object`, and
/// `object` is mapped from a file, releases the memory of each piece after it is written.
void writePieces(llvm::raw_ostream &os, llvm::ArrayRef<char> bytes, const llvm::MemoryBuffer &object);

} // namespace heddle

#endif // HEDDLE_COMPILE_PIECES_H
