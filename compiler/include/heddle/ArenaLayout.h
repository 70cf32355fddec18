//===- ArenaLayout.h - names that stages plan to object share ---*- C++ -*-===//

#ifndef HEDDLE_ARENALAYOUT_H
#define HEDDLE_ARENALAYOUT_H

#include "llvm/ADT/StringRef.h"

namespace heddle {

/// The first bytes of an arena: the executor's address and the number of
/// threads that a call may use, written by NAME_run, read by heddle.dispatch.
inline constexpr int64_t arenaFrameSize = 64;

/// On the module: bytes of the arena without workers' scratch, and bytes of
/// scratch per worker.
inline constexpr llvm::StringLiteral arenaSizeAttr = "heddle.arena_size";
inline constexpr llvm::StringLiteral workerSizeAttr = "heddle.worker_size";

/// On arguments: the whole arena; a kernel's own scratch.
inline constexpr llvm::StringLiteral arenaArgAttr = "heddle.arena";
inline constexpr llvm::StringLiteral scratchArgAttr = "heddle.scratch";
/// On arguments of @main that the caller may leave out: their place in the arena.
inline constexpr llvm::StringLiteral arenaOffsetAttr = "heddle.arena_offset";
/// On the view that is the first worker's scratch.
inline constexpr llvm::StringLiteral workerScratchAttr = "heddle.worker_scratch";

} // namespace heddle

#endif // HEDDLE_ARENALAYOUT_H
