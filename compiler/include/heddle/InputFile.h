//===- InputFile.h - files that are read whole ------------------*- C++ -*-===//

#ifndef HEDDLE_INPUTFILE_H
#define HEDDLE_INPUTFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <string>
#include <vector>

namespace heddle {

/// The bytes of a regular file, with a zero behind them if `isText`. What a link leads to may be a pipe or a device, which
/// has no end.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readRegularFile(llvm::StringRef path, bool isText = false);

/// Notes which files are read while it lives, by readRegularFile and by who calls noteInputFile. One at a time; files may be
/// read on any thread.
class InputFileLog {
public:
  InputFileLog();
  ~InputFileLog();
  InputFileLog(const InputFileLog &) = delete;
  InputFileLog &operator=(const InputFileLog &) = delete;

  /// In the order in which they were first read.
  std::vector<std::string> paths() const;
};

/// Tells the log, if there is one, of a file that is read in another way.
void noteInputFile(llvm::StringRef path);

/// "OUTPUT: FILE..." as make reads it, with each file on a line of its own.
std::string makeRule(llvm::StringRef output, llvm::ArrayRef<std::string> files);

} // namespace heddle

#endif // HEDDLE_INPUTFILE_H
