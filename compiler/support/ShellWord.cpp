//===- ShellWord.cpp - words of commands for a shell ----------------------===//

#include "heddle/ShellWord.h"

std::string heddle::shellWord(llvm::StringRef word) {
  if (!word.empty() && word.find_first_of(" \t\n'\"`*?$&;<>|()[]{}#~!\\") == llvm::StringRef::npos)
    return word.str();
  std::string quoted = "'";
  for (char c : word)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}
