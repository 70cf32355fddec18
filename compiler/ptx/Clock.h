//===- Clock.h - orders accesses in time ------------------------*- C++ -*-===//

#ifndef HEDDLE_PTX_CLOCK_H
#define HEDDLE_PTX_CLOCK_H

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::ptx {

/// When an access happened, and in which lane: the number of a segment times 32, plus the lane. A segment is the time
/// between two synchronisations of one warp. 0 means never.
///
/// Workgroups run one after another. The warps of a workgroup run in turns, each from one barrier to the next.
/// Therefore a stamp needs to be compared only with the stamps at which the current launch, workgroup, epoch (the time
/// between two barriers) and turn began, to know which synchronisation lies between the two accesses.
using Stamp = uint32_t;

/// The stamp of bytes that the host has written.
constexpr Stamp hostStamp = 32;
/// The writer of bytes that an async copy will write: they have no contents before the thread that copies has waited.
constexpr Stamp pendingStamp = UINT32_MAX;

class Clock {
public:
  void beginLaunch();
  void beginGroup();
  void beginEpoch();
  /// Begins the turn of a warp within an epoch.
  void beginTurn(unsigned warp);
  /// The warp whose turn it is has synchronised its lanes.
  void synchronizeWarp();

  Stamp stamp(unsigned lane) const { return segment + lane; }
  Stamp launchBegin() const { return launch; }
  Stamp groupBegin() const { return group; }
  Stamp epochBegin() const { return epoch; }
  bool isOfThisLaunch(Stamp stamp) const { return stamp >= launch; }
  bool isOfThisGroup(Stamp stamp) const { return stamp >= group; }

  /// Whether an access of `lane` now races with an earlier access: no barrier or synchronisation lies between them, and
  /// the earlier access is by another workgroup of this launch or by another thread of this workgroup.
  bool races(Stamp earlier, unsigned lane) const {
    if (earlier < launch || (earlier >= group && earlier < epoch))
      return false;
    if (earlier < group || earlier < turn)
      return true;
    return earlier >= segment && earlier != segment + lane;
  }

  /// Describes a thread for a message: "thread 37" of this workgroup, or "a thread of another workgroup".
  std::string describe(Stamp stamp) const;

  /// Whether the stamps may not suffice for another launch. Then the caller must replace all stamps by hostStamp, and
  /// restart the clock.
  bool needsRestart() const { return segment >> 30; }
  void restart() { *this = Clock(); }

  /// Whether the stamps have run out within a launch.
  bool isExhausted() const { return segment >= (uint32_t(1) << 31) - 64; }

private:
  void advance(unsigned warp);

  Stamp launch = 64, group = 64, epoch = 64, turn = 64, segment = 64;
  std::vector<uint8_t> warps; // the warp of each segment of the workgroup; at most 1024 threads make 32 warps
};

} // namespace heddle::ptx

#endif // HEDDLE_PTX_CLOCK_H
