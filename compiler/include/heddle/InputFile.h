//===- InputFile.h - reading whole files ------------------------*- C++ -*-===//

#ifndef HEDDLE_INPUTFILE_H
#define HEDDLE_INPUTFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <string>
#include <vector>

namespace heddle {

/// Reads the bytes of a regular file. If `isText`, a zero byte follows the content in memory. Fails for other files,
/// because a pipe or a device may have no end.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readRegularFile(llvm::StringRef path, bool isText = false);

/// Records the files that are read during its lifetime, by readRegularFile and by callers of noteInputFile. Only one
/// log may exist at a time; any thread may read files.
class InputFileLog {
public:
  InputFileLog();
  ~InputFileLog();
  InputFileLog(const InputFileLog &) = delete;
  InputFileLog &operator=(const InputFileLog &) = delete;

  /// The paths in the order in which the files were first read.
  std::vector<std::string> paths() const;
};

/// If there is a log, records a file that was not read by readRegularFile.
void noteInputFile(llvm::StringRef path);

/// A rule for make, "OUTPUT: FILE...", with each file on a line of its own.
std::string makeRule(llvm::StringRef output, llvm::ArrayRef<std::string> files);

} // namespace heddle

#endif // HEDDLE_INPUTFILE_H
