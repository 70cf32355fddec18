//===- Names.h - operations and command lines -------------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_NAMES_H
#define HEDDLE_TOOLS_NAMES_H

#include "Command.h"

#include "llvm/ADT/StringRef.h"

namespace heddle {

/// Returns whether MODEL is a quoted operation and not a file or a directory.
bool isOperation(llvm::StringRef model);

/// Returns the command line of a subcommand, such as "heddle compile ...", after its options were parsed. Paths are
/// replaced by the names of files, because reports and headers must not reveal directories of this machine. The command
/// line can be repeated in a directory that contains the files.
std::string commandLineOf(const CLI::App &app);

} // namespace heddle

#endif // HEDDLE_TOOLS_NAMES_H
