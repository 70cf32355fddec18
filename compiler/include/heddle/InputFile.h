//===- InputFile.h - files that are read whole ------------------*- C++ -*-===//

#ifndef HEDDLE_INPUTFILE_H
#define HEDDLE_INPUTFILE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace heddle {

/// The bytes of a regular file, with a zero behind them if `isText`. What a link leads to may be a pipe or a device, which
/// has no end.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readRegularFile(llvm::StringRef path, bool isText = false);

} // namespace heddle

#endif // HEDDLE_INPUTFILE_H
