//===- Launch.h - executes kernels ------------------------------*- C++ -*-===//

#ifndef HEDDLE_PTX_LAUNCH_H
#define HEDDLE_PTX_LAUNCH_H

#include "Counters.h"
#include "GlobalMemory.h"

#include "llvm/ADT/ArrayRef.h"

namespace heddle::ptx {

struct Launch {
  const Program &program;
  std::array<unsigned, 3> threads; // the size of a workgroup
  std::array<unsigned, 3> groups;  // the number of workgroups
  llvm::ArrayRef<View> views;      // one for each parameter
  uint64_t sharedBytes = 0;        // dynamic shared memory, in addition to the kernel's variables
  /// The memory of the module's variables (Program::constants); null if the module has none.
  Memory *constants = nullptr;
  /// Receives counts of the launch. If it is null, nothing is counted.
  Counters *counters = nullptr;
  /// The maximum number of instructions of a warp. A warp that executes more is assumed to run forever, and fails.
  uint64_t maxInstructions = uint64_t(1) << 28;
};

/// Creates the memory of the module's variables and writes their initial values. Returns null if there are no
/// variables.
std::unique_ptr<Memory> makeConstants(const Program &program);

/// Executes all workgroups, one after another. The first mistake of the kernel ends the launch with an error. The error
/// names the kernel, the line of the PTX, the instruction and the thread, and describes the mistake.
llvm::Error execute(const Launch &launch, Clock &clock);

} // namespace heddle::ptx

#endif // HEDDLE_PTX_LAUNCH_H
