//===- Workgroup.h - warps that share memory and barriers -------*- C++ -*-===//

#ifndef HEDDLE_PTX_WORKGROUP_H
#define HEDDLE_PTX_WORKGROUP_H

#include "Launch.h"
#include "Warp.h"

namespace heddle::ptx {

/// Executes workgroups of a launch, one after another. The warps of a workgroup take turns, each of which lasts from
/// one barrier to the next.
class Workgroup {
public:
  Workgroup(const Launch &launch, Clock &clock);

  /// Executes the workgroup with the indices `place` (x, y, z). Returns false if an error occurred.
  bool run(const std::array<unsigned, 3> &place);
  const std::string &error() const { return message; }

  /// Records an error of an instruction in a lane of a warp. Only the first error is kept.
  void fail(const Warp &warp, const Instruction &instruction, unsigned lane, const llvm::Twine &what);
  /// Returns the async copy that will write the byte at offset `place` of shared memory, or null if there is none.
  const AsyncCopies::Copy *findCopy(uint64_t place) const;
  bool hasFailed() const { return !message.empty(); }

  const Launch &launch;
  Clock &clock;
  unsigned threads; // the number of threads of a workgroup
  /// Shared memory: the kernel's variables, followed by the dynamic shared memory of the launch.
  std::vector<char> shared;
  Shadow sharedShadow; // the record of the accesses to `shared`

private:
  /// Lets the warps that wait at a barrier continue. Returns false if no warp waits, or if the warps wait at different
  /// barrier instructions.
  bool passBarrier();

  std::vector<Warp> warps;
  std::array<unsigned, 3> place = {}; // the indices of the current workgroup
  std::string message;                // the first error; empty if there is none
};

} // namespace heddle::ptx

#endif // HEDDLE_PTX_WORKGROUP_H
