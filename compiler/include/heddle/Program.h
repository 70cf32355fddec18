//===- Program.h - other programs that are run ------------------*- C++ -*-===//

#ifndef HEDDLE_PROGRAM_H
#define HEDDLE_PROGRAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace heddle {

/// Runs a program to its end; what is not 0 is its status, or `reason` says more. Where a signal interrupts this process
/// meanwhile, the program is ended, too, so that it cannot write its files again behind whoever removed them.
int runProgram(llvm::StringRef program, llvm::ArrayRef<llvm::StringRef> arguments,
               llvm::ArrayRef<std::optional<llvm::StringRef>> redirects, std::string &reason);

} // namespace heddle

#endif // HEDDLE_PROGRAM_H
