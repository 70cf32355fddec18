//===- ErrorHandlers.h - no abort, but a message ----------------*- C++ -*-===//

#ifndef HEDDLE_ERRORHANDLERS_H
#define HEDDLE_ERRORHANDLERS_H

namespace heddle {

/// From here on the process ends with a message of `program`'s and exit status 1 where it would be aborted: memory
/// that cannot be allocated, what LLVM calls fatal, an exception that nobody catches. Temporary files are removed.
/// Whoever closes the pipe that is the standard output ends it with status 1, too. After llvm::InitLLVM.
void installErrorHandlers(const char *program);

/// Those signals that end a process which whoever started this one had it ignore (nohup, a shell's background). LLVM
/// handles them all: it would remove the temporary files of a process that goes on.
class IgnoredSignals {
public:
  /// Before llvm::InitLLVM.
  IgnoredSignals();
  /// After it.
  void restore() const;

private:
  bool isIgnored[4];
};

/// Writes out what was printed to the standard output. False where some of it could not be written, which is
/// printed.
bool flushOutput(const char *program);

} // namespace heddle

#endif // HEDDLE_ERRORHANDLERS_H
