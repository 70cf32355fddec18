//===- TempDir.h - a temporary directory for one test -----------*- C++ -*-===//

#ifndef HEDDLE_TESTS_IMPORT_TEMPDIR_H
#define HEDDLE_TESTS_IMPORT_TEMPDIR_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

/// A temporary directory, which is initially empty. The destructor removes it with its contents.
class TempDir {
public:
  TempDir() { llvm::sys::fs::createUniqueDirectory("heddle-test", path); }
  ~TempDir() { llvm::sys::fs::remove_directories(path); }

  /// Returns the path of a file in the directory, which need not exist.
  std::string file(llvm::StringRef name) const { return (path + "/" + name).str(); }

  /// Writes a file and returns its path.
  std::string write(llvm::StringRef name, llvm::StringRef text) const {
    std::string target = file(name);
    std::error_code error;
    llvm::raw_fd_ostream(target, error) << text;
    return target;
  }

private:
  llvm::SmallString<128> path;
};

#endif // HEDDLE_TESTS_IMPORT_TEMPDIR_H
