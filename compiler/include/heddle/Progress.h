//===- Progress.h - a status line on a terminal -----------------*- C++ -*-===//

#ifndef HEDDLE_PROGRESS_H
#define HEDDLE_PROGRESS_H

#include "llvm/ADT/Twine.h"

namespace heddle {

/// Shows the current activity on stderr, as long as the object exists. Does nothing if stderr is not a terminal.
class Progress {
public:
  Progress() = default;
  explicit Progress(const llvm::Twine &what) { show(what); }
  ~Progress() { clear(); }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// Replaces the text of the line.
  void show(const llvm::Twine &what);

  /// Clears the line, if there is one. Must be called before a message is printed.
  static void clear();
};

} // namespace heddle

#endif // HEDDLE_PROGRESS_H
