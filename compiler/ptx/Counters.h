//===- Counters.h - counts that GPU profilers also report -------*- C++ -*-===//

#ifndef HEDDLE_PTX_COUNTERS_H
#define HEDDLE_PTX_COUNTERS_H

#include "Program.h"

#include "heddle/InterpretedDevice.h"

namespace heddle::ptx {

/// Counts the work of a launch while it is executed.
struct Counters : LaunchCounts {
  /// Count one instruction whose lanes `lanes` access `bytes` bytes each at these addresses.
  void countShared(const uint64_t *addresses, Lanes lanes, unsigned bytes);
  void countGlobal(const uint64_t *addresses, Lanes lanes, unsigned bytes);
};

/// Returns the number of wavefronts (steps) of one access to shared memory. If each lane accesses 16 bytes, the
/// hardware serves a quarter of the warp at a time; with 8 bytes, it serves half of the warp.
unsigned wavefronts(const uint64_t *addresses, Lanes lanes, unsigned bytes);
/// Returns the number of 32-byte sectors of device memory that one instruction accesses.
unsigned sectors(const uint64_t *addresses, Lanes lanes, unsigned bytes);

} // namespace heddle::ptx

#endif // HEDDLE_PTX_COUNTERS_H
