//===- InterpretedDevice.h - runs PTX without a GPU -------------*- C++ -*-===//
//
// A device as those of the runtime, whose kernels are interpreted, and every
// access checked. Tools have it; libheddle has not.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_INTERPRETEDDEVICE_H
#define HEDDLE_INTERPRETEDDEVICE_H

#include <cstdint>
#include <vector>

struct heddle_device; // <heddle/device.h>
struct heddle_launches;

namespace heddle {

/// Opens one, which is closed as all are, and is called `name` (devices.def).
heddle_device *openInterpretedDevice(const char *name);

/// What launches do, as a GPU's profiler counts it.
struct LaunchCounts {
  /// Instructions that warps executed, whether or not their predicates were true.
  uint64_t instructions = 0;
  /// Of these, barriers, times the warps that wait at them.
  uint64_t barriers = 0;
  /// Instructions that access shared memory, and the steps that they take: in one of them, each of the 32 banks
  /// has one word of four bytes.
  uint64_t sharedRequests = 0, sharedWavefronts = 0;
  /// Instructions that access global memory, and the sectors of 32 bytes that they touch.
  uint64_t globalRequests = 0, globalSectors = 0;

  LaunchCounts &operator+=(const LaunchCounts &other);
};

/// Of the last replay of launches that were recorded timed; none of another device's.
std::vector<LaunchCounts> interpretedCounts(const heddle_device &device, const heddle_launches *recorded);

} // namespace heddle

#endif // HEDDLE_INTERPRETEDDEVICE_H
