//===- Warp.h - 32 lanes that execute together ------------------*- C++ -*-===//

#ifndef HEDDLE_PTX_WARP_H
#define HEDDLE_PTX_WARP_H

#include "AsyncCopies.h"
#include "Program.h"
#include "Undefined.h"

#include <cstring>

namespace heddle::ptx {

class Workgroup;

/// Lanes that a branch parts go one way after the other, until they meet where both ways lead: the place that GPUs'
/// compilers choose as well.
class Warp {
public:
  Warp(Workgroup &group, unsigned number);

  /// As at the beginning of a kernel, in the workgroup at this place.
  void begin(const std::array<unsigned, 3> &place);
  /// Executes until all lanes that are not done wait at a barrier, or something failed.
  void run();
  /// Where it waits; null where all lanes are done.
  const Instruction *waitsAt() const { return barrier; }
  void leaveBarrier() { barrier = nullptr; }

  /// The values of all lanes. All that is in a file of registers is aligned to its size at least.
  template <typename T> T *row(Row at) { return reinterpret_cast<T *>(registers.data() + at); }
  Lanes &predicate(Row at) { return *row<Lanes>(at); }
  /// Takes results over, in these lanes.
  template <typename T> void set(Row at, const T *results, Lanes lanes) {
    T *to = row<T>(at);
    if (lanes == allLanes)
      std::memcpy(to, results, sizeof(T) * warpSize);
    else
      for (; lanes; lanes &= lanes - 1)
        to[__builtin_ctz(lanes)] = results[__builtin_ctz(lanes)];
  }

  void fail(const Instruction &instruction, Lanes lanes, const llvm::Twine &what) const;
  /// Whether a register has values in these lanes; else the warp has failed, as the instruction depends on them.
  bool isDefined(Row row, const Instruction &instruction, Lanes lanes) const;
  /// A register was stored: where it had no value in this lane, the place has none, and no buffer may be that place.
  void forget(const char *place, unsigned bytes, Row value, const Instruction &instruction, unsigned lane);
  /// Registers without a value.
  Undefined undefined;
  /// Lanes that are not done.
  Lanes living() const { return ~done; }
  /// Which of several instructions at once the lanes that execute now are all of: those that no branch parted.
  unsigned number;
  Workgroup &group;
  AsyncCopies copies;
  /// Local memory of all lanes, one after another, and which of its bytes were written.
  std::vector<char> local;
  std::vector<bool> localWritten;

private:
  /// Lanes that go one way: to an instruction where others join them, which then goes on below.
  struct Path {
    uint32_t pc, join;
    Lanes lanes;
  };

  /// Goes on with the path that is not at its end; false where none is left.
  bool choose();
  void branch(const Instruction &instruction, Lanes taken);
  void exit(Lanes lanes);
  void arrive(const Instruction &instruction);
  /// Executes an instruction while registers have no values.
  void executeUndefined(const Instruction &instruction, Lanes lanes);

  std::vector<char> registers;
  std::vector<Path> paths; // the last is that of the active lanes
  Lanes active = 0, done = 0;
  uint32_t pc = 0, join = noJoin; // of the active lanes
  uint64_t executed = 0;
  const Instruction *barrier = nullptr;
};

} // namespace heddle::ptx

#endif // HEDDLE_PTX_WARP_H
