//===- ElfMachine.h - differences between ELF machines --------------------===//

#ifndef HEDDLE_COMPILE_ELFMACHINE_H
#define HEDDLE_COMPILE_ELFMACHINE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"

namespace heddle {

/// The properties of an architecture that shared libraries depend on.
struct ElfMachine {
  uint16_t number; // the constant EM_... of the ELF header
  uint64_t page;   // the largest page size that the loader may use
  /// `pointer` is the kind of JITLink's edges for pointers. The loader has two relocations for pointers: `relative`
  /// sets base + addend, and `absolute` sets symbol + addend.
  llvm::jitlink::Edge::Kind pointer;
  uint32_t relative, absolute;
  /// Kinds of absolute addresses that are not 64-bit pointers, so that the loader cannot set them.
  llvm::SmallVector<llvm::jitlink::Edge::Kind> fixed;
  /// `relaxed` is the kind of a call through a pointer that JITLink may relax to a direct call, if the function's
  /// address in the process is below 4 GiB. `kept` is the same kind of call without relaxation.
  llvm::jitlink::Edge::Kind relaxed = llvm::jitlink::Edge::Invalid, kept = llvm::jitlink::Edge::Invalid;
};

/// Returns the machine of a graph for x86-64 or AArch64.
const ElfMachine &elfMachineOf(const llvm::jitlink::LinkGraph &graph);

} // namespace heddle

#endif // HEDDLE_COMPILE_ELFMACHINE_H
