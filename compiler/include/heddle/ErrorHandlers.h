//===- ErrorHandlers.h - messages instead of aborts -------------*- C++ -*-===//

#ifndef HEDDLE_ERRORHANDLERS_H
#define HEDDLE_ERRORHANDLERS_H

namespace heddle {

/// Installs handlers for conditions that would otherwise abort the process: memory cannot be allocated, LLVM reports a
/// fatal error, or an exception is not caught. The handlers print a message that names `program`, remove temporary
/// files, and end the process with exit status 1. If the reader of the standard output closes the pipe, the process
/// ends with exit status 1, too, but without a message. A write beyond the limit of file sizes (ulimit -f) returns an
/// error instead of ending the process. Must be called after llvm::InitLLVM.
void installErrorHandlers(const char *program);

/// Keeps ignoring the signals that were ignored when this process began, as under nohup and in background jobs of a
/// shell. LLVM installs its handler for terminating signals even if they were ignored. The handler would remove the
/// temporary files of the process, although the process should ignore the signal and continue.
class IgnoredSignals {
public:
  /// Records which signals are ignored. Must be constructed before llvm::InitLLVM.
  IgnoredSignals();
  /// Ignores the recorded signals again. Must be called after llvm::InitLLVM.
  void restore() const;

private:
  bool isIgnored[4];
};

/// Flushes the standard output. Prints an error and returns false if not everything could be written.
bool flushOutput(const char *program);

} // namespace heddle

#endif // HEDDLE_ERRORHANDLERS_H
