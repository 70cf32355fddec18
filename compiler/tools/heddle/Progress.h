//===- Progress.h - what takes long, on a terminal --------------*- C++ -*-===//

#ifndef HEDDLE_TOOLS_PROGRESS_H
#define HEDDLE_TOOLS_PROGRESS_H

#include "llvm/ADT/StringRef.h"

namespace heddle {

/// While it lives, a line on stderr says what is being done. Nothing where stderr is no terminal.
class Progress {
public:
  explicit Progress(llvm::StringRef what);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

private:
  bool isShown;
};

} // namespace heddle

#endif // HEDDLE_TOOLS_PROGRESS_H
