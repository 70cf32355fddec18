//===- Names.h - operations and command lines -------------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_NAMES_H
#define HEDDLE_TOOLS_NAMES_H

#include "Command.h"

#include "llvm/ADT/StringRef.h"

namespace heddle {

/// Whether MODEL is a quoted operation rather than a file or directory.
bool isOperation(llvm::StringRef model);

/// The command line "heddle compile ..." as it could be typed in the directory of the files that it names. Reports and
/// headers are passed on to other people, so the command line has no paths of this machine.
std::string commandLineOf(const CLI::App &app);

} // namespace heddle

#endif // HEDDLE_TOOLS_NAMES_H
