//===- Warp.h - 32 lanes that execute together ------------------*- C++ -*-===//

#ifndef HEDDLE_PTX_WARP_H
#define HEDDLE_PTX_WARP_H

#include "AsyncCopies.h"
#include "Program.h"
#include "Undefined.h"

#include <cstring>

namespace heddle::ptx {

class Workgroup;

/// Executes a warp. If a branch separates lanes, the warp executes the two paths one after the other. The lanes
/// continue together at the instruction where both paths meet, the nearest post-dominator of the branch (Joins.cpp).
class Warp {
public:
  Warp(Workgroup &group, unsigned number);

  /// Prepares the warp for the beginning of a kernel, in the workgroup with the indices `place` (x, y, z).
  void begin(const std::array<unsigned, 3> &place);
  /// Executes until all lanes have exited or wait at a barrier, or until an error occurs.
  void run();
  /// Returns the barrier at which the warp waits, or null if all lanes have exited.
  const Instruction *waitsAt() const { return barrier; }
  void leaveBarrier() { barrier = nullptr; }

  /// Returns the values of a register in all lanes. Rows are aligned at least to the size of their elements.
  template <typename T> T *row(Row at) { return reinterpret_cast<T *>(registers.data() + at); }
  Lanes &predicate(Row at) { return *row<Lanes>(at); }
  /// Copies results to a register in the lanes `lanes`. `results` has an element for each lane of the warp.
  template <typename T> void set(Row at, const T *results, Lanes lanes) {
    T *to = row<T>(at);
    if (lanes == allLanes)
      std::memcpy(to, results, sizeof(T) * warpSize);
    else
      for (; lanes; lanes &= lanes - 1)
        to[__builtin_ctz(lanes)] = results[__builtin_ctz(lanes)];
  }

  /// Records an error of an instruction, which ends the launch. The message names the thread of the first of `lanes`.
  void fail(const Instruction &instruction, Lanes lanes, const llvm::Twine &what) const;
  /// Returns whether a register is defined in the lanes `lanes`. If the register is undefined in one of them, the warp
  /// fails, because `instruction` depends on a value that comes from unwritten memory.
  bool isDefined(Row row, const Instruction &instruction, Lanes lanes) const;
  /// Checks a value that `lane` has stored at `place`, an address of the host. If the register `value` is undefined in
  /// this lane, marks the stored bytes as unwritten in shared or local memory, and fails if they are in a buffer.
  void storeUndefined(const char *place, unsigned bytes, Row value, const Instruction &instruction, unsigned lane);
  /// The registers that contain values from unwritten memory.
  Undefined undefined;
  /// Returns the lanes that have not exited.
  Lanes living() const { return ~done; }
  /// The index of this warp in its workgroup.
  unsigned number;
  Workgroup &group;
  AsyncCopies copies;
  /// The local memory of all lanes, one lane after another, and whether each byte has been written.
  std::vector<char> local;
  std::vector<bool> localWritten;

private:
  /// Lanes that execute one path of a branch, up to the instruction `join`. From there on, the lanes belong to the path
  /// below this one on the stack.
  struct Path {
    uint32_t pc, join; // indices of instructions: the next instruction, and the end of the path
    Lanes lanes;
  };

  /// Continues with the topmost path that has not reached its end. Returns false if there is no such path.
  bool choose();
  // Execute a branch, an exit or a barrier. `taken` is the set of lanes that take the branch.
  void branch(const Instruction &instruction, Lanes taken);
  void exit(Lanes lanes);
  void arrive(const Instruction &instruction);
  /// Executes an instruction while some registers are undefined.
  void executeUndefined(const Instruction &instruction, Lanes lanes);

  std::vector<char> registers;    // the register file; a Row is an offset in it
  std::vector<Path> paths;        // a stack; the last path is that of the active lanes
  Lanes active = 0, done = 0;     // the lanes that execute the current path; the lanes that have exited or do not exist
  uint32_t pc = 0, join = noJoin; // the Path::pc and Path::join of the active lanes
  uint64_t executed = 0;          // the number of instructions that the warp has executed in this workgroup
  /// The barrier at which the warp waits; null if it does not wait.
  const Instruction *barrier = nullptr;
};

} // namespace heddle::ptx

#endif // HEDDLE_PTX_WARP_H
