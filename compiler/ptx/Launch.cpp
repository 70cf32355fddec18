//===- Launch.cpp - executes kernels --------------------------------------===//

#include "Workgroup.h"

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

Error heddle::ptx::execute(const Launch &launch, Clock &clock) {
  if (launch.views.size() != launch.program.parameters.size())
    return createStringError(launch.program.kernel->name + ": " + Twine(launch.program.parameters.size()) +
                             " buffers are its parameters, and " + Twine(launch.views.size()) + " are passed");
  clock.beginLaunch();
  Workgroup group(launch, clock);
  std::array<unsigned, 3> place;
  for (place[2] = 0; place[2] < launch.groups[2]; ++place[2])
    for (place[1] = 0; place[1] < launch.groups[1]; ++place[1])
      for (place[0] = 0; place[0] < launch.groups[0]; ++place[0]) {
        if (!group.run(place))
          return createStringError(group.error());
        if (clock.isOver())
          return createStringError(launch.program.kernel->name + ": a launch of too many workgroups and barriers");
      }
  return Error::success();
}
