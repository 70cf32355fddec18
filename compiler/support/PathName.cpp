//===- PathName.cpp - names of files without folders ----------------------===//

#include "heddle/PathName.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace path = llvm::sys::path;

std::string heddle::nameWithoutFolders(llvm::StringRef given) {
  llvm::StringRef name = path::filename(given.rtrim('/')); // path::filename("a/") would return "."
  if (name != "." && name != "..")
    return name.str();
  // The name of a folder that is given as "." or ".." is in its real path.
  llvm::SmallString<128> real;
  if (llvm::sys::fs::real_path(given, real))
    return name.str();
  return path::filename(real).str();
}
