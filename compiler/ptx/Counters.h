//===- Counters.h - what a GPU's profiler counts as well --------*- C++ -*-===//

#ifndef HEDDLE_PTX_COUNTERS_H
#define HEDDLE_PTX_COUNTERS_H

#include "Program.h"

#include "heddle/InterpretedDevice.h"

namespace heddle::ptx {

/// Counts while a launch is executed.
struct Counters : LaunchCounts {
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
