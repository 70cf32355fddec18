//===- Names.cpp - what the command line says -----------------------------===//

#include "Names.h"

#include "llvm/Support/FileSystem.h"

using llvm::StringRef;

namespace heddle {

bool isOperation(StringRef model) { return model.contains('=') && !llvm::sys::fs::exists(model); }

std::string commandLineOf(const CLI::App &app) {
  std::string line = "heddle " + app.get_name();
  auto quote = [](const std::string &word) {
    if (!word.empty() && word.find_first_of(" \t\n'\"`*?$&;<>|()[]{}#~!\\") == std::string::npos)
      return word;
    std::string quoted = "'";
    for (char c : word)
      quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
  };
  for (const CLI::Option *option : app.get_options())
    for (const std::string &value : option->results()) {
      if (!option->get_positional())
        line += " " + option->get_name();
      if (option->get_expected_max() != 0) // a flag has no value
        line += " " + quote(value);
    }
  return line;
}

} // namespace heddle
