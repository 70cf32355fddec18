//===- Access.h - checked memory accesses of a warp -------------*- C++ -*-===//

#ifndef HEDDLE_PTX_ACCESS_H
#define HEDDLE_PTX_ACCESS_H

#include "GlobalMemory.h"
#include "Program.h"

namespace heddle::ptx {

class Warp;

/// A flag in AccessTo::address: the register has 32 bits instead of 64. Since rows are aligned, their lowest bit is
/// never set otherwise.
constexpr Row narrowAddress = 1;

/// One access of a warp to memory.
struct AccessTo {
  Space space;
  Row address; // the register with the address; noRow if the address is `offset` alone
  int64_t offset;
  unsigned bytes; // the bytes that each lane accesses, a power of two; addresses must be multiples of it
  Use use;
  /// If not null, entry i is the number of bytes that lane i accesses, at most `bytes`. If null, all lanes access
  /// `bytes` bytes.
  const uint32_t *lengths = nullptr;
  /// If not null, the access may read bytes of shared memory, local memory and states that nobody has written. Entry i
  /// receives the lanes whose element i, of `elementBytes` bytes, is unwritten. If null, reading unwritten bytes is an
  /// error.
  Lanes *unwritten = nullptr;
  unsigned elementBytes = 0;

  /// Checks the access of each lane: bounds, alignment, whether the bytes have been written, and races with other
  /// accesses. Records the access, and sets places[i] to the address in the host's memory of the bytes of lane i. If a
  /// check fails, calls warp.fail and returns false.
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
  /// Returns the number of bytes that a lane accesses.
  unsigned lengthOf(unsigned lane) const { return lengths ? lengths[lane] : bytes; }
  /// Checks a read element by element, and records in `unwritten` which elements nobody has written.
  Conflict readElements(unsigned lane, llvm::function_ref<Conflict(uint64_t from)> read) const;
  bool isAligned(Warp &warp, const Instruction &instruction, unsigned lane, uint64_t address) const;
};

} // namespace heddle::ptx

#endif // HEDDLE_PTX_ACCESS_H
