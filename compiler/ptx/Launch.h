//===- Launch.h - executes kernels ------------------------------*- C++ -*-===//

#ifndef HEDDLE_PTX_LAUNCH_H
#define HEDDLE_PTX_LAUNCH_H

#include "Counters.h"
#include "GlobalMemory.h"

#include "llvm/ADT/ArrayRef.h"

namespace heddle::ptx {

struct Launch {
  const Program &program;
  std::array<unsigned, 3> threads; // of a workgroup
  std::array<unsigned, 3> groups;  // workgroups
  llvm::ArrayRef<View> views;      // one for each parameter
  uint64_t sharedBytes = 0;        // beside what the kernel itself declares
  /// Where the module's variables lie (Program::constants); null where it has none.
  Memory *constants = nullptr;
  /// What counts, or null; accesses are looked at only where something does.
  Counters *counters = nullptr;
  /// A warp with more instructions has no end.
  uint64_t mostInstructions = uint64_t(1) << 28;
};

/// Memory of the module's variables with what they begin with; null where there are none.
std::unique_ptr<Memory> makeConstants(const Program &program);

/// Executes all workgroups, one after another. The first access that is wrong ends it with an error, which says the
/// kernel, the line, the instruction, the thread and what is wrong.
llvm::Error execute(const Launch &launch, Clock &clock);

} // namespace heddle::ptx

#endif // HEDDLE_PTX_LAUNCH_H
