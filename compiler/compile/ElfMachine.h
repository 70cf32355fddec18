//===- ElfMachine.h - what of ELF files differs between machines *- C++ -*-===//

#ifndef HEDDLE_COMPILE_ELFMACHINE_H
#define HEDDLE_COMPILE_ELFMACHINE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"

namespace heddle {

struct ElfMachine {
  uint16_t number; // EM_...
  uint64_t page;   // the largest that the loader may map by
  /// A pointer in JITLink, and what the loader sets one by: its base + addend, a symbol + addend.
  llvm::jitlink::Edge::Kind pointer;
  uint32_t relative, absolute;
  /// Addresses that are not relative to where they stand, and are no pointers: the loader cannot set them.
  llvm::SmallVector<llvm::jitlink::Edge::Kind> fixed;
  /// Calls through a pointer, which JITLink makes calls of an address of the process where that is below 4 GiB, and the
  /// same that it leaves alone.
  llvm::jitlink::Edge::Kind relaxed = llvm::jitlink::Edge::Invalid, kept = llvm::jitlink::Edge::Invalid;
};

/// That of a graph for x86-64 or AArch64.
const ElfMachine &elfMachineOf(const llvm::jitlink::LinkGraph &graph);

} // namespace heddle

#endif // HEDDLE_COMPILE_ELFMACHINE_H
