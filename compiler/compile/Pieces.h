//===- Pieces.h - large files, written piece by piece -----------*- C++ -*-===//

#ifndef HEDDLE_COMPILE_PIECES_H
#define HEDDLE_COMPILE_PIECES_H

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle {

/// Writes `bytes` in pieces that are large pages: what is written from memory that is there gets such pages in the page
/// cache, where the file system has them, and weights that are mapped in large pages are read with few TLB misses.
/// Those that are part of `object`, where that is mapped from a file, are in memory piece by piece.
void writePieces(llvm::raw_ostream &os, llvm::ArrayRef<char> bytes, const llvm::MemoryBuffer &object);

} // namespace heddle

#endif // HEDDLE_COMPILE_PIECES_H
