//===- Access.h - addresses of lanes, checked -------------------*- C++ -*-===//

#ifndef HEDDLE_PTX_ACCESS_H
#define HEDDLE_PTX_ACCESS_H

#include "GlobalMemory.h"
#include "Program.h"

namespace heddle::ptx {

class Warp;

/// How a row that has addresses is told: those of 32 bits have this bit.
constexpr Row narrowAddress = 1;

/// One access of a warp to memory.
struct AccessTo {
  Space space;
  Row address; // noRow: 0
  int64_t offset;
  unsigned bytes; // that each lane accesses, a power of two
  Use use;
  /// Where lanes access fewer: how many.
  const uint32_t *lengths = nullptr;
  /// Where shared and local memory, and states, may be read that nobody wrote: the lanes that do so, of each element of
  /// `elementBytes`. Null: that is an error.
  Lanes *unwritten = nullptr;
  unsigned elementBytes = 0;

  /// Checks what each lane accesses, and notes it: bounds, alignment, whether it is written, and what nothing orders it
  /// with. Where that is right, `places` has where the bytes are; false where the warp has failed.
  bool resolve(Warp &warp, const Instruction &instruction, Lanes lanes, char **places) const;

private:
  bool resolveShared(Warp &warp, const Instruction &instruction, Lanes lanes, const uint64_t *addresses,
                     char **places) const;
  bool resolveGlobal(Warp &warp, const Instruction &instruction, Lanes lanes, const uint64_t *addresses,
                     char **places) const;
  bool resolveLocal(Warp &warp, const Instruction &instruction, Lanes lanes, const uint64_t *addresses,
                    char **places) const;
  bool resolveGeneric(Warp &warp, const Instruction &instruction, Lanes lanes, const uint64_t *addresses,
                      char **places) const;
  unsigned lengthOf(unsigned lane) const { return lengths ? lengths[lane] : bytes; }
  /// Reads element by element where not all are written.
  Conflict readElements(unsigned lane, llvm::function_ref<Conflict(uint64_t from)> read) const;
  bool isAligned(Warp &warp, const Instruction &instruction, unsigned lane, uint64_t address) const;
};

} // namespace heddle::ptx

#endif // HEDDLE_PTX_ACCESS_H
