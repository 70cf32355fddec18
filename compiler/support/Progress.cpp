//===- Progress.cpp - a status line on a terminal -------------------------===//

#include "heddle/Progress.h"

#include "llvm/Support/raw_ostream.h"

namespace heddle {

static bool isShown = false;

void Progress::show(const llvm::Twine &what) {
  if (!llvm::errs().is_displayed())
    return;
  clear();
  llvm::errs() << "heddle: " << what << " ...";
  isShown = true;
}

void Progress::clear() {
  if (isShown)
    llvm::errs() << "\r\033[K";
  isShown = false;
}

} // namespace heddle
