//===- Memory.h - how much memory there is ----------------------*- C++ -*-===//
//
// Linux promises more memory than there is and kills who uses it. What needs much says how much before it allocates.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_MEMORY_H
#define HEDDLE_MEMORY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <string>

namespace heddle {

struct AvailableMemory {
  uint64_t bytes;
  /// What limits it: "free memory", "left by ulimit -v", "left by control group /a".
  std::string limit;
};

/// What this process can still allocate: the least of what the machine has free and what resource limits and control
/// groups (versions 1 and 2) leave. What cannot be found out does not limit. `root` is where /proc and /sys are.
AvailableMemory availableMemory(llvm::StringRef root = "");

/// An error that says what `what` needs and what there is, where that is less.
llvm::Error checkMemory(const llvm::Twine &what, uint64_t bytes);

/// Gives the memory of a mapped file back: who reads it again has it filled from the file.
void dropPages(llvm::ArrayRef<char> mapping);

} // namespace heddle

#endif // HEDDLE_MEMORY_H
