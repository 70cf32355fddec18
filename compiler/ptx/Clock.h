//===- Clock.h - orders accesses in time ------------------------*- C++ -*-===//

#ifndef HEDDLE_PTX_CLOCK_H
#define HEDDLE_PTX_CLOCK_H

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::ptx {

/// The time and the lane of an access: the index of a segment times 32, plus the index of the lane. A segment is the
/// time between two synchronisations of one warp. 0 means that there was no access.
///
/// Workgroups run one after another. The warps of a workgroup take turns, and each turn lasts from one barrier to the
/// next. An epoch is the time between two barriers. To find which synchronisation lies between an earlier access and an
/// access now, a Clock compares the earlier stamp with the stamps at which the current launch, workgroup, epoch, turn
/// and segment began.
using Stamp = uint32_t;

/// The stamp of bytes that the host has written.
constexpr Stamp hostStamp = 32;
/// The stamp of bytes that an async copy will write. No thread may access them until the thread that began the copy has
/// waited for it.
constexpr Stamp pendingStamp = UINT32_MAX;

/// Assigns stamps to accesses and detects races between them.
class Clock {
public:
  void beginLaunch();
  void beginGroup();
  /// Begins an epoch: all warps of the workgroup have reached a barrier or have exited.
  void beginEpoch();
  /// Begins the turn of a warp within an epoch. `warp` is the index of the warp in its workgroup.
  void beginTurn(unsigned warp);
  /// Records that the current warp has synchronised its lanes.
  void synchronizeWarp();

  /// Returns the stamp of an access that a lane of the current warp makes now.
  Stamp stamp(unsigned lane) const { return segment + lane; }
  // The first stamp of the current launch, workgroup and epoch.
  Stamp launchBegin() const { return launch; }
  Stamp groupBegin() const { return group; }
  Stamp epochBegin() const { return epoch; }
  bool isOfThisLaunch(Stamp stamp) const { return stamp >= launch; }
  bool isOfThisGroup(Stamp stamp) const { return stamp >= group; }

  /// Returns whether an access that `lane` makes now races with the access at the stamp `earlier`: whether another
  /// thread of this launch made the earlier access, and no barrier or synchronisation of the warp orders the two.
  bool races(Stamp earlier, unsigned lane) const {
    if (earlier < launch || (earlier >= group && earlier < epoch))
      return false;
    if (earlier < group || earlier < turn)
      return true;
    return earlier >= segment && earlier != segment + lane;
  }

  /// Returns a description of the thread that made the access at `stamp`, for a message: "thread 37" if it is in the
  /// current workgroup, or "a thread of another workgroup".
  std::string describe(Stamp stamp) const;

  /// Returns whether at least half of the stamps are used, in which case the rest may not suffice for another launch.
  /// The caller must then replace all stamps of accesses by hostStamp and restart the clock.
  bool needsRestart() const { return segment >> 30; }
  void restart() { *this = Clock(); }

  /// Returns whether all stamps are used. Stamps have 31 bits, because Shadow.h uses the highest bit as a flag.
  bool isExhausted() const { return segment >= (uint32_t(1) << 31) - 64; }

private:
  /// Begins a new segment, in which `warp` runs.
  void advance(unsigned warp);

  /// The first stamps of the current launch, workgroup, epoch, turn and segment. They begin after hostStamp, so that
  /// accesses of kernels are later than writes of the host.
  Stamp launch = 64, group = 64, epoch = 64, turn = 64, segment = 64;
  std::vector<uint8_t> warps; // for each segment since `group`, the index of its warp in the workgroup
};

} // namespace heddle::ptx

#endif // HEDDLE_PTX_CLOCK_H
