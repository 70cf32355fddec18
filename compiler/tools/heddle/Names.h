//===- Names.h - identifiers and command lines ------------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_NAMES_H
#define HEDDLE_TOOLS_NAMES_H

#include "Command.h"

#include "llvm/ADT/StringRef.h"

namespace heddle {

/// Whether MODEL is a quoted operation rather than a file or folder.
bool isOperation(llvm::StringRef model);

/// "heddle compile ..." as one could type it beside the files that it names: reports and headers go to others, and do not
/// tell where files lie on this machine.
std::string commandLineOf(const CLI::App &app);

} // namespace heddle

#endif // HEDDLE_TOOLS_NAMES_H
