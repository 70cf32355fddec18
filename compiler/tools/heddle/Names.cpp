//===- Names.cpp - command lines for reports ------------------------------===//

#include "Names.h"

#include "heddle/PathName.h"
#include "heddle/ShellWord.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"

using llvm::StringRef;

/// Returns the value of `option` without folders: a path is replaced by the name of the file.
static std::string withoutFolders(StringRef option, StringRef value) {
  bool isFile =
      llvm::StringSwitch<bool>(option)
          .Cases({"MODEL", "--output", "--weights", "--depfile", "--dump-stages", "--input", "--html", "--calibrate"}, true)
          .Default(false);
  if (isFile && !heddle::isOperation(value))
    return heddle::nameWithoutFolders(value);
  // In OP=FILE:knob=value, remove the folders of FILE.
  if (option == "--strategy" && value.contains('='))
    if (auto [op, file] = value.split('='); file.contains('/'))
      return (op + "=" + file.substr(file.rfind('/') + 1)).str();
  return value.str();
}

namespace heddle {

bool isOperation(StringRef model) { return model.contains('=') && !llvm::sys::fs::exists(model); }

std::string commandLineOf(const CLI::App &app) {
  std::string line = "heddle " + app.get_name();
  for (const CLI::Option *option : app.get_options())
    for (const std::string &value : option->results()) {
      if (!option->get_positional())
        line += " " + option->get_name();
      if (option->get_expected_max() != 0) // a flag has no value
        line += " " + shellWord(withoutFolders(option->get_name(), value));
    }
  return line;
}

} // namespace heddle
