//===- Access.h - checked memory accesses of a warp -------------*- C++ -*-===//

#ifndef HEDDLE_PTX_ACCESS_H
#define HEDDLE_PTX_ACCESS_H

#include "GlobalMemory.h"
#include "Program.h"

namespace heddle::ptx {

class Warp;

/// A flag in AccessTo::address: the register with the address is 32 bits wide instead of 64. A row is an offset in the
/// register file and is aligned, so its lowest bit is free for this flag.
constexpr Row narrowAddress = 1;

/// An access of a warp to memory. Each lane accesses bytes at an address of its own.
struct AccessTo {
  Space space;
  Row address; // the register with the address; noRow if the address is `offset` alone
  int64_t offset;
  unsigned bytes; // the number of bytes that each lane accesses, a power of two; it is also the required alignment
  Use use;        // whether the instruction reads, writes or atomically updates the bytes
  /// If not null, entry i is the number of bytes that lane i accesses, at most `bytes`. If null, all lanes access
  /// `bytes` bytes.
  const uint32_t *lengths = nullptr;
  /// If not null, the access may read bytes of shared memory, local memory and states that nobody has written. Entry i
  /// receives the lanes whose element i, of `elementBytes` bytes, is unwritten. If null, reading unwritten bytes is an
  /// error.
  Lanes *unwritten = nullptr;
  unsigned elementBytes = 0; // the size of an element for `unwritten`; unused if `unwritten` is null

  /// Checks the access of each lane in `lanes`: bounds, alignment, whether the bytes have been written, and races with
  /// other accesses. Records the access and sets places[i] to the host's address of the bytes that lane i accesses.
  /// `places` has room for all lanes of a warp. If a check fails, calls warp.fail and returns false.
  bool resolve(Warp &warp, const Instruction &instruction, Lanes lanes, char **places) const;

private:
  // These functions implement `resolve` for one state space. addresses[i] is the address of lane i: an offset in shared
  // or local memory, or an address that `addressOf` in GlobalMemory.h assigns. Generic addresses may also lie in the
  // windows of shared and local memory.
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
  /// Checks the read of one lane element by element, and records unwritten elements in `unwritten`. `read` checks the
  /// element that begins `from` bytes after the lane's address. Returns the first conflict of a kind other than
  /// NeverWritten, if there is one.
  Conflict readElements(unsigned lane, llvm::function_ref<Conflict(uint64_t from)> read) const;
  /// Returns whether the address is a multiple of `bytes`. If not, calls warp.fail.
  bool isAligned(Warp &warp, const Instruction &instruction, unsigned lane, uint64_t address) const;
};

} // namespace heddle::ptx

#endif // HEDDLE_PTX_ACCESS_H
