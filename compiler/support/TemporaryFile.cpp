//===- TemporaryFile.cpp - temporary files that are removed ---------------===//

#include "heddle/TemporaryFile.h"
#include "CreateTempFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"

using namespace heddle;
namespace fs = llvm::sys::fs;

llvm::Expected<TemporaryFile> TemporaryFile::create(llvm::StringRef suffix) {
  llvm::SmallString<128> folder;
  llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
  llvm::SmallString<128> model = folder; // a path in which createTempFile replaces each % by a random character
  llvm::sys::path::append(model, "heddle-%%%%%%." + suffix);
  auto created = createTempFile(model, fs::owner_read | fs::owner_write);
  if (!created)
    return llvm::createStringError("cannot create a temporary file in " + folder + ": " +
                                   llvm::toString(created.takeError()));
  TemporaryFile result;
  result.file = std::make_unique<fs::TempFile>(std::move(*created));
  return std::move(result);
}

void TemporaryFile::removeName() {
  fs::remove(file->TmpName);
  llvm::sys::DontRemoveFileOnSignal(file->TmpName);
  file->TmpName.clear();
}

TemporaryFile::~TemporaryFile() {
  if (file)
    llvm::consumeError(file->discard());
}
