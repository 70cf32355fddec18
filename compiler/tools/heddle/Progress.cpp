//===- Progress.cpp - what takes long, on a terminal ----------------------===//

#include "Progress.h"

#include "llvm/Support/raw_ostream.h"

namespace heddle {

Progress::Progress(llvm::StringRef what) : isShown(llvm::errs().is_displayed()) {
  if (isShown)
    llvm::errs() << "heddle: " << what << " ...";
}

Progress::~Progress() {
  if (isShown)
    llvm::errs() << "\r\033[K"; // the line is free again
}

} // namespace heddle
