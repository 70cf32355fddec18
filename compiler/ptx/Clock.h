//===- Clock.h - which accesses come before which ---------------*- C++ -*-===//

#ifndef HEDDLE_PTX_CLOCK_H
#define HEDDLE_PTX_CLOCK_H

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::ptx {

/// Says of each access when it was, and by whom: a segment, between two synchronisations of one warp, times 32, plus
/// the lane. 0: never. Workgroups run one after another, and the warps of one in turns, each from barrier to barrier:
/// so what a stamp is ordered with shows by comparing it with a few others, where the current launch, workgroup, epoch
/// (between two barriers) and turn began.
using Stamp = uint32_t;

/// What the host wrote.
constexpr Stamp hostStamp = 32;
/// What an async copy will write, which is not there before its thread waited for it.
constexpr Stamp pendingStamp = UINT32_MAX;

class Clock {
public:
  void beginLaunch();
  void beginGroup();
  void beginEpoch();
  /// The turn of a warp within an epoch.
  void beginTurn(unsigned warp);
  /// The warp of this turn synchronised its lanes.
  void synchronizeWarp();

  Stamp stamp(unsigned lane) const { return segment + lane; }
  Stamp launchBegin() const { return launch; }
  Stamp groupBegin() const { return group; }
  Stamp epochBegin() const { return epoch; }
  bool isOfThisLaunch(Stamp stamp) const { return stamp >= launch; }
  bool isOfThisGroup(Stamp stamp) const { return stamp >= group; }

  /// Whether nothing orders an access of this launch, by another workgroup, or of this epoch, by another thread, with
  /// one of this lane now.
  bool races(Stamp earlier, unsigned lane) const {
    if (earlier < launch || (earlier >= group && earlier < epoch))
      return false;
    if (earlier < group || earlier < turn)
      return true;
    return earlier >= segment && earlier != segment + lane;
  }

  /// "thread 37" of this workgroup, or "a thread of another workgroup".
  std::string describe(Stamp stamp) const;

  /// Too little is left for another launch: all stamps are to be made hostStamp, and the clock begins again.
  bool isWornOut() const { return segment >> 30; }
  void restart() { *this = Clock(); }

  /// Within a launch, there is no more to count with.
  bool isOver() const { return segment >= (uint32_t(1) << 31) - 64; }

private:
  void advance(unsigned warp);

  Stamp launch = 64, group = 64, epoch = 64, turn = 64, segment = 64;
  std::vector<uint8_t> warps; // of each segment of the workgroup: 1024 threads are 32
};

} // namespace heddle::ptx

#endif // HEDDLE_PTX_CLOCK_H
