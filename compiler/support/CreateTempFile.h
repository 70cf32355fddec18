//===- CreateTempFile.h - temporary files and signals -----------*- C++ -*-===//

#ifndef HEDDLE_SUPPORT_CREATETEMPFILE_H
#define HEDDLE_SUPPORT_CREATETEMPFILE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"

namespace heddle {

/// Like llvm::sys::fs::TempFile::create, which creates a file and then registers it for removal by LLVM's signal
/// handlers: a signal between these two steps would leave the file behind. So SIGHUP, SIGINT and SIGTERM are blocked in
/// this thread until the file is registered.
llvm::Expected<llvm::sys::fs::TempFile> createTempFile(const llvm::Twine &model, unsigned mode);

} // namespace heddle

#endif // HEDDLE_SUPPORT_CREATETEMPFILE_H
