//===- Counters.h - counts that GPU profilers report as well ----*- C++ -*-===//

#ifndef HEDDLE_PTX_COUNTERS_H
#define HEDDLE_PTX_COUNTERS_H

#include "Program.h"

#include "heddle/InterpretedDevice.h"

namespace heddle::ptx {

/// Counts the work of a launch while it is executed.
struct Counters : LaunchCounts {
  /// Count one instruction that accesses `bytes` bytes per lane at these addresses, in these lanes.
  void countShared(const uint64_t *addresses, Lanes lanes, unsigned bytes);
  void countGlobal(const uint64_t *addresses, Lanes lanes, unsigned bytes);
};

/// Returns the number of wavefronts that one access to shared memory takes. With 16 bytes per lane, the quarters of a
/// warp are served one after another; with 8 bytes, the halves.
unsigned wavefronts(const uint64_t *addresses, Lanes lanes, unsigned bytes);
/// Returns the number of 32-byte sectors that one access touches.
unsigned sectors(const uint64_t *addresses, Lanes lanes, unsigned bytes);

} // namespace heddle::ptx

#endif // HEDDLE_PTX_COUNTERS_H
