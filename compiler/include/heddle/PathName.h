//===- PathName.h - names of files ------------------------------*- C++ -*-===//

#ifndef HEDDLE_PATHNAME_H
#define HEDDLE_PATHNAME_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace heddle {

/// What a file or folder is called, without where it lies: "model" for "/home/user/model/", for "." the folder's name.
std::string nameWithoutFolders(llvm::StringRef path);

} // namespace heddle

#endif // HEDDLE_PATHNAME_H
