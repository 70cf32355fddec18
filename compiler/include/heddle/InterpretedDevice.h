//===- InterpretedDevice.h - a device that interprets PTX -------*- C++ -*-===//
//
// A device with the same interface as the runtime's devices. It interprets the kernels and checks every access to
// memory. The tools use it; libheddle does not contain it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_INTERPRETEDDEVICE_H
#define HEDDLE_INTERPRETEDDEVICE_H

#include <cstdint>
#include <vector>

struct heddle_device; // <heddle/device.h>
struct heddle_launches;

namespace heddle {

/// Opens an interpreted device; heddle_device_close closes it. `name` is its name in devices.def.
heddle_device *openInterpretedDevice(const char *name);

/// Counts of a launch, as a GPU's profiler would report them.
struct LaunchCounts {
  /// The instructions that warps executed, whether or not their predicates were true.
  uint64_t instructions = 0;
  /// The number of barrier instructions among them. A barrier counts once for each warp that waits at it.
  uint64_t barriers = 0;
  /// The instructions that access shared memory, and the number of wavefronts in which these accesses are served. In
  /// one wavefront each of the 32 banks delivers one word of four bytes.
  uint64_t sharedRequests = 0, sharedWavefronts = 0;
  /// The instructions that access global memory, and the number of 32-byte sectors that they touch.
  uint64_t globalRequests = 0, globalSectors = 0;

  LaunchCounts &operator+=(const LaunchCounts &other);
};

/// The counts of each launch in the last replay of `recorded`. Empty if `device` is not an interpreted device, or if
/// record_timed (<heddle/device.h>) did not record the launches.
std::vector<LaunchCounts> interpretedCounts(const heddle_device &device, const heddle_launches *recorded);

} // namespace heddle

#endif // HEDDLE_INTERPRETEDDEVICE_H
