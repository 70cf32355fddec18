//===- ErrorHandlers.cpp - prints messages instead of aborting ------------===//

#include "heddle/ErrorHandlers.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <exception>
#include <iostream>
#include <unistd.h>

static constexpr int failureStatus = 1;

/// Ends the process with an error message. Must not allocate memory, because memory may be exhausted. The buffered part
/// of the standard output is discarded, because the output is incomplete.
[[noreturn]] static void fail(const char *program, const char *what, const char *reason) {
  llvm::errs() << program << ": error: " << what << reason << "\n";
  llvm::sys::RunInterruptHandlers();
  _exit(failureStatus);
}

static const char *nameOf(void *program) { return static_cast<const char *>(program); }

static void onBadAlloc(void *program, const char *reason, bool) {
  fail(nameOf(program), "out of memory: ", reason);
}

static void onFatalError(void *program, const char *reason, bool) { fail(nameOf(program), "", reason); }

static constexpr int endingSignals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};

heddle::IgnoredSignals::IgnoredSignals() {
  static_assert(std::size(endingSignals) == sizeof(isIgnored));
  for (size_t i = 0; i < std::size(endingSignals); ++i) {
    struct sigaction action;
    isIgnored[i] = !sigaction(endingSignals[i], nullptr, &action) && action.sa_handler == SIG_IGN;
  }
}

void heddle::IgnoredSignals::restore() const {
  for (size_t i = 0; i < std::size(endingSignals); ++i)
    if (isIgnored[i])
      std::signal(endingSignals[i], SIG_IGN);
}

void heddle::installErrorHandlers(const char *program) {
  static const char *name = program;
  static const std::string ended = std::string(program) +
                                   ": error: ended by a signal; if no user sent the signal, this is a fault "
                                   "of the program: please report it with the following lines:\n";
  llvm::setBugReportMsg(ended.c_str());
  // LLVM installs a handler for a failed operator new, which calls the bad-alloc handler.
  llvm::install_bad_alloc_error_handler(onBadAlloc, const_cast<char *>(program));
  llvm::install_fatal_error_handler(onFatalError, const_cast<char *>(program));
  std::set_terminate([] {
    try {
      if (std::exception_ptr thrown = std::current_exception())
        std::rethrow_exception(thrown);
    } catch (const std::exception &error) {
      fail(name, "", error.what());
    } catch (...) {
    }
    fail(name, "", "the program ended because of an internal fault");
  });
  // If the reader of the standard output has closed the pipe, end without a message.
  std::signal(SIGPIPE, [](int) {
    llvm::sys::RunInterruptHandlers();
    _exit(failureStatus);
  });
  // With this signal ignored, writing a file beyond the limit of `ulimit -f` returns an error instead of ending the
  // process.
  std::signal(SIGXFSZ, SIG_IGN);
}

bool heddle::flushOutput(const char *program) {
  llvm::outs().flush();
  std::error_code error = llvm::outs().error();
  if (!std::cout.flush() && !error)
    error = std::make_error_code(std::errc::io_error);
  // Clear the errors of both streams, because LLVM would otherwise report a fatal error when the process ends. A
  // failure to write messages to the standard error is ignored.
  llvm::outs().clear_error();
  if (error)
    llvm::errs() << program << ": error: cannot write to the standard output: " << error.message() << "\n";
  llvm::errs().clear_error();
  return !error;
}
