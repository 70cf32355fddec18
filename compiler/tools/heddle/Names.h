//===- Names.h - operations and command lines -------------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_NAMES_H
#define HEDDLE_TOOLS_NAMES_H

#include "Command.h"

#include "llvm/ADT/StringRef.h"

namespace heddle {

/// Returns whether MODEL is a quoted operation and not a file or a directory.
bool isOperation(llvm::StringRef model);

/// Returns the command line "heddle compile ..." in a form that works in the directory of the files that it names. It
/// contains no paths of this machine, since reports and headers are passed on to other people.
std::string commandLineOf(const CLI::App &app);

} // namespace heddle

#endif // HEDDLE_TOOLS_NAMES_H
