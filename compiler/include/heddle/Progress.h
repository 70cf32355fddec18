//===- Progress.h - what takes long, on a terminal --------------*- C++ -*-===//

#ifndef HEDDLE_PROGRESS_H
#define HEDDLE_PROGRESS_H

#include "llvm/ADT/Twine.h"

namespace heddle {

/// While it lives, a line on stderr says what is being done. Nothing where stderr is no terminal.
class Progress {
public:
  Progress() = default;
  explicit Progress(const llvm::Twine &what) { show(what); }
  ~Progress() { clear(); }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// Replaces the line.
  void show(const llvm::Twine &what);

  /// Frees the line, if there is one, for a message.
  static void clear();
};

} // namespace heddle

#endif // HEDDLE_PROGRESS_H
