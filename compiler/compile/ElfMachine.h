//===- ElfMachine.h - differences between ELF machines --------------------===//

#ifndef HEDDLE_COMPILE_ELFMACHINE_H
#define HEDDLE_COMPILE_ELFMACHINE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"

namespace heddle {

struct ElfMachine {
  uint16_t number; // EM_...
  uint64_t page;   // the largest page size that the loader may use
  /// JITLink's kind of a pointer, and the loader's relocations for it: base + addend, and symbol + addend.
  llvm::jitlink::Edge::Kind pointer;
  uint32_t relative, absolute;
  /// Kinds of absolute addresses that are no 64-bit pointers: the loader cannot set them.
  llvm::SmallVector<llvm::jitlink::Edge::Kind> fixed;
  /// The kind of calls through a pointer that JITLink relaxes to a direct call of the process's address if that is
  /// below 4 GiB, and the same kind without relaxation.
  llvm::jitlink::Edge::Kind relaxed = llvm::jitlink::Edge::Invalid, kept = llvm::jitlink::Edge::Invalid;
};

/// The machine of a graph for x86-64 or AArch64.
const ElfMachine &elfMachineOf(const llvm::jitlink::LinkGraph &graph);

} // namespace heddle

#endif // HEDDLE_COMPILE_ELFMACHINE_H
