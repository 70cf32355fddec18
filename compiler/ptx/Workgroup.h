//===- Workgroup.h - warps that share memory and barriers -------*- C++ -*-===//

#ifndef HEDDLE_PTX_WORKGROUP_H
#define HEDDLE_PTX_WORKGROUP_H

#include "Launch.h"
#include "Warp.h"

namespace heddle::ptx {

class Workgroup {
public:
  Workgroup(const Launch &launch, Clock &clock);

  /// Executes the workgroup at this place among all; false where it failed.
  bool run(const std::array<unsigned, 3> &place);
  const std::string &error() const { return message; }

  /// What an instruction of a warp did wrong. Only the first is heard.
  void fail(const Warp &warp, const Instruction &instruction, unsigned lane, const llvm::Twine &what);
  /// The async copy that is to write this byte of shared memory; null where none is.
  const AsyncCopies::Copy *findCopy(uint64_t place) const;
  bool hasFailed() const { return !message.empty(); }

  const Launch &launch;
  Clock &clock;
  unsigned threads; // in all dimensions
  /// Shared memory: what the kernel declares, and what the launch brings.
  std::vector<char> shared;
  Shadow sharedShadow;

private:
  /// Lets warps that wait at a barrier go on; false where they may not.
  bool passBarrier();

  std::vector<Warp> warps;
  std::array<unsigned, 3> place = {};
  std::string message;
};

} // namespace heddle::ptx

#endif // HEDDLE_PTX_WORKGROUP_H
