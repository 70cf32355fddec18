//===- Progress.cpp - a status line on a terminal -------------------------===//

#include "heddle/Progress.h"

#include "llvm/Support/raw_ostream.h"

namespace heddle {

static bool isShown = false; // whether the terminal shows a status line

void Progress::show(const llvm::Twine &what) {
  if (!llvm::errs().is_displayed())
    return;
  clear();
  llvm::errs() << "heddle: " << what << " ...";
  isShown = true;
}

void Progress::clear() {
  if (isShown)
    llvm::errs() << "\r\033[K"; // moves the cursor to the beginning of the line and deletes the line
  isShown = false;
}

} // namespace heddle
