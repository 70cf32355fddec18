//===- Memory.h - how much memory is available ------------------*- C++ -*-===//
//
// Linux grants processes more memory than the machine has, and kills a process when the memory is exhausted. Therefore
// code that needs much memory checks the available amount before it allocates.
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

/// An amount of memory, and the limit that determines it.
struct AvailableMemory {
  uint64_t bytes;
  /// The reason for the limit: "free memory and swap space", "left by ulimit -v", "left by control group /a".
  std::string limit;
};

/// The memory that this process can still allocate: the sum of the machine's free memory and free swap space, or less
/// if a resource limit or a control group (version 1 or 2) leaves less. A limit that cannot be read is ignored. `root`
/// is the folder that contains /proc and /sys.
AvailableMemory availableMemory(llvm::StringRef root = "");

/// Returns an error if less than `bytes` bytes of memory are available. The error states how much `what` needs and how
/// much is available.
llvm::Error checkMemory(const llvm::Twine &what, uint64_t bytes);

/// Releases the memory of a mapped file; a later access reads the bytes from the file again.
void dropPages(llvm::ArrayRef<char> mapping);

} // namespace heddle

#endif // HEDDLE_MEMORY_H
