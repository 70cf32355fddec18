//===- Counters.h - what a GPU's profiler counts as well --------*- C++ -*-===//

#ifndef HEDDLE_PTX_COUNTERS_H
#define HEDDLE_PTX_COUNTERS_H

#include "Program.h"

namespace heddle::ptx {

/// Of launches, what they would be on a GPU too.
struct Counters {
  /// Instructions that warps executed, whether or not their predicates were true.
  uint64_t instructions = 0;
  /// Of these, barriers, times the warps that wait at them.
  uint64_t barriers = 0;
  /// Instructions that access shared memory, and the steps that they take: in one of them, each of the 32 banks
  /// has one word of four bytes.
  uint64_t sharedRequests = 0, sharedWavefronts = 0;
  /// Instructions that access global memory, and the sectors of 32 bytes that they touch.
  uint64_t globalRequests = 0, globalSectors = 0;

  Counters &operator+=(const Counters &other);

  /// Counts one instruction that accesses `bytes` at these addresses in these lanes.
  void countShared(const uint64_t *addresses, Lanes lanes, unsigned bytes);
  void countGlobal(const uint64_t *addresses, Lanes lanes, unsigned bytes);
};

/// The steps that a request takes: quarters of a warp go one after another where a lane has 16 bytes, halves where it
/// has 8.
unsigned wavefronts(const uint64_t *addresses, Lanes lanes, unsigned bytes);
/// The sectors that it touches.
unsigned sectors(const uint64_t *addresses, Lanes lanes, unsigned bytes);

} // namespace heddle::ptx

#endif // HEDDLE_PTX_COUNTERS_H
