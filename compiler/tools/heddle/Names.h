//===- Names.h - identifiers and command lines ------------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_NAMES_H
#define HEDDLE_TOOLS_NAMES_H

#include "Command.h"

#include "llvm/ADT/StringRef.h"

namespace heddle {

/// Whether C and C++ take it as a name: no keyword of either, nothing reserved.
bool isIdentifier(llvm::StringRef name);

/// `text` with what no identifier may hold replaced by '_'.
std::string identifierFrom(llvm::StringRef text);

/// Whether MODEL is a quoted operation rather than a file or folder.
bool isOperation(llvm::StringRef model);

/// "heddle compile ..." as the user could type it again.
std::string commandLineOf(const CLI::App &app);

} // namespace heddle

#endif // HEDDLE_TOOLS_NAMES_H
