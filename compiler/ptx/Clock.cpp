//===- Clock.cpp - orders accesses in time --------------------------------===//

#include "Clock.h"

using namespace heddle::ptx;

void Clock::advance(unsigned warp) {
  if (isExhausted())
    return;
  segment += 32; // one stamp for each lane of the warp
  warps.push_back(uint8_t(warp));
}

void Clock::beginLaunch() {
  advance(0);
  launch = segment;
}

void Clock::beginGroup() {
  warps.clear();
  advance(0);
  group = epoch = turn = segment;
}

void Clock::beginEpoch() {
  advance(0);
  epoch = turn = segment;
}

void Clock::beginTurn(unsigned warp) {
  advance(warp);
  turn = segment;
}

void Clock::synchronizeWarp() { advance(warps.back()); }

std::string Clock::describe(Stamp stamp) const {
  if (stamp < group)
    return "a thread of another workgroup";
  size_t index = (stamp - group) / 32;
  return "thread " + std::to_string(warps[index] * 32 + stamp % 32);
}
