//===- Counters.h - counts that GPU profilers also report -------*- C++ -*-===//

#ifndef HEDDLE_PTX_COUNTERS_H
#define HEDDLE_PTX_COUNTERS_H

#include "Program.h"

#include "heddle/InterpretedDevice.h"

namespace heddle::ptx {

/// Counts the work of a launch while it is executed.
struct Counters : LaunchCounts {
  /// Count one instruction that accesses shared or global memory. Lane i of `lanes` accesses `bytes` bytes at
  /// addresses[i].
  void countShared(const uint64_t *addresses, Lanes lanes, unsigned bytes);
  void countGlobal(const uint64_t *addresses, Lanes lanes, unsigned bytes);
};

/// Returns the number of wavefronts (steps) of one access to shared memory. In one wavefront, each of the 32 banks
/// serves one word of four bytes. If each lane accesses 16 bytes, the hardware serves a quarter of the warp at a time;
/// with 8 bytes, it serves half of the warp.
unsigned wavefronts(const uint64_t *addresses, Lanes lanes, unsigned bytes);
/// Returns the number of 32-byte sectors of device memory that one instruction accesses.
unsigned sectors(const uint64_t *addresses, Lanes lanes, unsigned bytes);

} // namespace heddle::ptx

#endif // HEDDLE_PTX_COUNTERS_H
