//===- ElfMachine.h - differences between ELF machines ----------*- C++ -*-===//

#ifndef HEDDLE_COMPILE_ELFMACHINE_H
#define HEDDLE_COMPILE_ELFMACHINE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ExecutionEngine/JITLink/JITLink.h"

namespace heddle {

/// The properties of an architecture that shared libraries depend on.
struct ElfMachine {
  uint16_t number; // the constant EM_... of the ELF header
  uint64_t page;   // the largest page size that the loader may use, in bytes
  /// `pointer` is the kind of JITLink's edges for pointers. The loader has two relocations for pointers: `relative`
  /// sets the pointer to the address of the library plus an addend, `absolute` to the address of a symbol plus an
  /// addend.
  llvm::jitlink::Edge::Kind pointer;
  uint32_t relative, absolute;
  /// Kinds of absolute addresses that the loader cannot set, because they are not plain 64-bit pointers.
  llvm::SmallVector<llvm::jitlink::Edge::Kind> fixed;
  /// `relaxed` is the kind of a call through a pointer that JITLink may relax to a direct call, if the function's
  /// address is below 4 GiB. The addresses in a library are low, but the loader changes them. So such calls get the
  /// kind `kept`: a call through a pointer that is not relaxed. Both are Invalid if there are no such calls.
  llvm::jitlink::Edge::Kind relaxed = llvm::jitlink::Edge::Invalid, kept = llvm::jitlink::Edge::Invalid;
};

/// Returns the machine of a graph for x86-64 or AArch64.
const ElfMachine &elfMachineOf(const llvm::jitlink::LinkGraph &graph);

} // namespace heddle

#endif // HEDDLE_COMPILE_ELFMACHINE_H
