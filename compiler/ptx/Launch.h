//===- Launch.h - executes kernels ------------------------------*- C++ -*-===//

#ifndef HEDDLE_PTX_LAUNCH_H
#define HEDDLE_PTX_LAUNCH_H

#include "Counters.h"
#include "GlobalMemory.h"

#include "llvm/ADT/ArrayRef.h"

namespace heddle::ptx {

/// A launch of a kernel on the interpreted device.
struct Launch {
  const Program &program;
  std::array<unsigned, 3> threads; // the size of a workgroup
  std::array<unsigned, 3> groups;  // the number of workgroups
  llvm::ArrayRef<View> views;      // the range of memory for each parameter of the kernel
  uint64_t sharedBytes = 0;        // the size of the dynamic shared memory, which follows the kernel's variables
  /// The memory of the module's variables (Program::constants); null if the module has none.
  Memory *constants = nullptr;
  /// Receives counts of the launch. If it is null, nothing is counted.
  Counters *counters = nullptr;
  /// The maximum number of instructions that a warp executes in one workgroup. A warp that executes more is assumed to
  /// run forever, and fails.
  uint64_t maxInstructions = uint64_t(1) << 28;
};

/// Creates the memory of the module's variables in global and constant memory and writes their initial values. Returns
/// null if there are no such variables or the host has too little memory.
std::unique_ptr<Memory> makeConstants(const Program &program);

/// Executes all workgroups, one after another. `clock` is the clock of the device, which continues from launch to
/// launch. The first error of the kernel ends the launch. The message names the kernel, the line of the PTX, the
/// instruction and the thread, and describes the error. A launch with the wrong number of views, or one that needs more
/// memory than the limits in Module.h and Launch.cpp, fails before the first workgroup.
llvm::Error execute(const Launch &launch, Clock &clock);

} // namespace heddle::ptx

#endif // HEDDLE_PTX_LAUNCH_H
