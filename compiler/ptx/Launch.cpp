//===- Launch.cpp - executes kernels --------------------------------------===//

#include "Workgroup.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace heddle::ptx;

std::unique_ptr<Memory> heddle::ptx::makeConstants(const Program &program) {
  if (!program.constantBytes)
    return nullptr;
  std::unique_ptr<Memory> memory = Memory::create(program.constantBytes);
  for (const Placed &placed : program.constants)
    if (const std::vector<char> &initial = placed.variable->initial; memory && !initial.empty()) {
      std::memcpy(memory->at(placed.offset), initial.data(), initial.size());
      memory->noteHostWrite(placed.offset, initial.size());
    }
  return memory;
}

/// Returns an error if a workgroup of the launch needs more memory than the limits in Module.h and `maxOfThreads`
/// allow. Must be called before the memory of workgroups is allocated.
static Error checkMemory(const Launch &launch) {
  const Program &program = launch.program;
  auto check = [&](const Twine &what, uint64_t bytes, uint64_t maximum) {
    return bytes <= maximum ? Error::success()
                            : createStringError(program.kernel->name + ": " + Twine(bytes) + " bytes of " + what +
                                                "; the limit is " + Twine(maximum));
  };
  constexpr uint64_t maxOfThreads = uint64_t(1) << 28; // for the registers and the local memory of one workgroup
  uint64_t threads = uint64_t(launch.threads[0]) * launch.threads[1] * launch.threads[2];
  if (Error error = check("shared memory", program.sharedBytes + launch.sharedBytes, maxSharedBytes))
    return error;
  return check("registers and local memory of " + Twine(threads) + " threads",
               divideCeil(threads, warpSize) * (program.registers.size() + warpSize * program.localBytes),
               maxOfThreads);
}

Error heddle::ptx::execute(const Launch &launch, Clock &clock) {
  if (launch.views.size() != launch.program.parameters.size())
    return createStringError(launch.program.kernel->name + ": the kernel's number of parameters is " +
                             Twine(launch.program.parameters.size()) + ", but the launch's number of buffers is " +
                             Twine(launch.views.size()));
  if (Error error = checkMemory(launch))
    return error;
  clock.beginLaunch();
  Workgroup group(launch, clock);
  std::array<unsigned, 3> place;
  for (place[2] = 0; place[2] < launch.groups[2]; ++place[2])
    for (place[1] = 0; place[1] < launch.groups[1]; ++place[1])
      for (place[0] = 0; place[0] < launch.groups[0]; ++place[0]) {
        if (!group.run(place))
          return createStringError(group.error());
        if (clock.isExhausted())
          return createStringError(
              launch.program.kernel->name +
              ": the launch synchronizes too often for this interpreter: the time stamps of its accesses overflow");
      }
  return Error::success();
}
