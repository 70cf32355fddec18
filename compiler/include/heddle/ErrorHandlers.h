//===- ErrorHandlers.h - messages instead of aborts -------------*- C++ -*-===//

#ifndef HEDDLE_ERRORHANDLERS_H
#define HEDDLE_ERRORHANDLERS_H

namespace heddle {

/// Installs handlers that end the process with a message from `program` and exit status 1 where it would otherwise
/// abort: when memory cannot be allocated, when LLVM reports a fatal error, or when an exception is not caught.
/// Temporary files are removed. If the reader of the standard output closes the pipe, the exit status is 1, too. Must
/// be called after llvm::InitLLVM.
void installErrorHandlers(const char *program);

/// Keeps signals ignored that were ignored when this process began, as under nohup and in background jobs of a shell.
/// LLVM handles terminating signals even if they were ignored: its handler would remove the temporary files, although
/// the process would then continue.
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
