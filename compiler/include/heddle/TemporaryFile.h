//===- TemporaryFile.h - files that the destructor removes ------*- C++ -*-===//

#ifndef HEDDLE_TEMPORARYFILE_H
#define HEDDLE_TEMPORARYFILE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"

#include <memory>

namespace heddle {

/// An empty file in the system's folder for temporary files. It is removed when this object is destroyed or when a
/// signal ends the process.
class TemporaryFile {
public:
  static llvm::Expected<TemporaryFile> create(llvm::StringRef suffix);

  TemporaryFile(TemporaryFile &&) = default;
  ~TemporaryFile();

  /// Unlinks the file, so that only the descriptor refers to it: the system then frees the file even if the process is
  /// killed.
  void removeName();

  llvm::StringRef path() const { return file->TmpName; }
  int descriptor() const { return file->FD; }

private:
  TemporaryFile() = default;

  std::unique_ptr<llvm::sys::fs::TempFile> file;
};

} // namespace heddle

#endif // HEDDLE_TEMPORARYFILE_H
