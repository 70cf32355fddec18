//===- Program.h - running other programs -----------------------*- C++ -*-===//

#ifndef HEDDLE_PROGRAM_H
#define HEDDLE_PROGRAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace heddle {

/// Runs a program, waits until it finishes and returns its exit status; a negative number means that the program could
/// not be started or was ended by a signal. If the result is not 0, `reason` may contain an explanation. `redirects`
/// are the files that replace stdin, stdout and stderr (llvm::sys::ExecuteNoWait). If this process receives SIGINT or
/// another interrupting signal while the program runs, the program is ended and the result is negative. Otherwise the
/// program could write its output files after this process has removed them.
int runProgram(llvm::StringRef program, llvm::ArrayRef<llvm::StringRef> arguments,
               llvm::ArrayRef<std::optional<llvm::StringRef>> redirects, std::string &reason);

} // namespace heddle

#endif // HEDDLE_PROGRAM_H
