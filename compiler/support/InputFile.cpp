//===- InputFile.cpp - files that are read whole --------------------------===//

#include "heddle/InputFile.h"

#include "llvm/Support/FileSystem.h"

namespace fs = llvm::sys::fs;

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> heddle::readRegularFile(llvm::StringRef path, bool isText) {
  if (fs::exists(path) && !fs::is_regular_file(path))
    return llvm::createStringError("not a regular file");
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/isText);
  if (!buffer)
    return llvm::createStringError("cannot read the file: " + buffer.getError().message());
  return std::move(*buffer);
}
