//===- ShellWord.h - words of commands for a shell --------------*- C++ -*-===//

#ifndef HEDDLE_SHELLWORD_H
#define HEDDLE_SHELLWORD_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace heddle {

/// Returns `word` as it must be written in the command line of a shell: in single quotes if it is empty or contains a
/// character with a special meaning, such as a space.
std::string shellWord(llvm::StringRef word);

} // namespace heddle

#endif // HEDDLE_SHELLWORD_H
