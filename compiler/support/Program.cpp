//===- Program.cpp - running other programs -------------------------------===//

#include "heddle/Program.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/Signals.h"

#include <atomic>
#include <csignal>

using namespace llvm;

static constexpr int noStatus = -1; // returned if the program could not be started or this process was interrupted

static std::atomic<pid_t> running = 0;          // the process id of the program that runProgram runs, or 0
static std::atomic<bool> isInterrupted = false; // whether this process has received a signal that interrupts it

/// LLVM's signal handler calls this function instead of ending the process. The function ends the program that
/// runProgram has started.
static void interrupt() {
  isInterrupted = true;
  if (pid_t program = running)
    kill(program, SIGTERM);
}

int heddle::runProgram(StringRef program, ArrayRef<StringRef> arguments,
                       ArrayRef<std::optional<StringRef>> redirects, std::string &reason) {
  sys::SetInterruptFunction(interrupt);
  scope_exit reset([] {
    running = 0;
    sys::SetInterruptFunction(nullptr);
  });
  bool hasFailed = false;
  sys::ProcessInfo started = sys::ExecuteNoWait(program, arguments, std::nullopt, redirects, 0, &reason, &hasFailed);
  if (hasFailed)
    return noStatus;
  running = started.Pid;
  if (isInterrupted) // the signal arrived before the process id was known
    kill(started.Pid, SIGTERM);
  sys::ProcessInfo ended = sys::Wait(started, std::nullopt, &reason);
  if (!isInterrupted)
    return ended.ReturnCode;
  reason = "interrupted";
  return noStatus;
}
