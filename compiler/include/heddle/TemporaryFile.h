//===- TemporaryFile.h - files that nobody keeps ----------------*- C++ -*-===//

#ifndef HEDDLE_TEMPORARYFILE_H
#define HEDDLE_TEMPORARYFILE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"

#include <memory>

namespace heddle {

/// An empty file in the folder for such ones; it is gone with this, and where a signal ends the process.
class TemporaryFile {
public:
  static llvm::Expected<TemporaryFile> create(llvm::StringRef suffix);

  TemporaryFile(TemporaryFile &&) = default;
  ~TemporaryFile();

  /// From here on it has a descriptor alone: nothing of it stays even where the system kills the process.
  void removeName();

  llvm::StringRef path() const { return file->TmpName; }
  int descriptor() const { return file->FD; }

private:
  TemporaryFile() = default;

  std::unique_ptr<llvm::sys::fs::TempFile> file;
};

} // namespace heddle

#endif // HEDDLE_TEMPORARYFILE_H
