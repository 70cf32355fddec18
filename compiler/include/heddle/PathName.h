//===- PathName.h - names of files without folders --------------*- C++ -*-===//

#ifndef HEDDLE_PATHNAME_H
#define HEDDLE_PATHNAME_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace heddle {

/// The name of a file or folder without its path: "model" for "/home/user/model/". If the path ends in "." or "..",
/// returns the name of the folder that it leads to.
std::string nameWithoutFolders(llvm::StringRef path);

} // namespace heddle

#endif // HEDDLE_PATHNAME_H
