//===- times_test.cpp - launches that the device times --------------------===//
//
// If launches are recorded with record_timed, the device measures the time of
// each launch in a replay (one execution of the recorded launches). The sum of
// the times must not exceed the time of the replay on the host. The time of a
// launch with more work must be longer.
//
//===----------------------------------------------------------------------===//

#include "DeviceTest.h"

#include <algorithm>
#include <chrono>
#include <cmath>

HEDDLE_DEVICE_SUITE(Times);

namespace {
// The timed launches: one with a single workgroup, one over all words, and another one with a single workgroup.
constexpr size_t manyWords = 1 << 20;
constexpr heddle_view whole = {0, 0, manyWords * 4}, beginning = {0, 0, threadsOfArithmetic * 4};
const std::vector<heddle_launch> launches = {{AddOne, {1, 1, 1}, &beginning, nullptr},
                                             {AddOne, {manyWords / threadsOfArithmetic, 1, 1}, &whole, nullptr},
                                             {Twice, {1, 1, 1}, &beginning, nullptr}};
} // namespace

TEST_P(Times, ATimeForEachLaunchOfTheLastReplay) {
  heddle_memory *memory = memoryOf(numbered(manyWords));
  heddle_launches *recorded = recordTimed(loadArithmetic(), {memory}, launches, 4);
  std::vector<double> minimum(3, INFINITY); // the shortest time of each launch; other programs may slow a replay down
  for (int round = 0; round < 10; ++round) {
    uint32_t first = 5;
    auto start = std::chrono::steady_clock::now();
    ASSERT_EQ(replay(recorded, {{&first, 0, 0, 4}}, {{&first, 0, 0, 4}}), HEDDLE_OK) << error();
    std::chrono::duration<double> host = std::chrono::steady_clock::now() - start;
    if (GetParam().executes) {
      EXPECT_EQ(first, 14u);
    }
    std::vector<double> seconds(3, NAN);
    ASSERT_EQ(device->times(device->self, recorded, seconds.data(), 3), HEDDLE_OK) << error();
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_GE(seconds[i], 0);
      minimum[i] = std::min(minimum[i], seconds[i]);
    }
    EXPECT_LE(seconds[0] + seconds[1] + seconds[2], host.count());
  }
  if (GetParam().executes)
    EXPECT_GT(minimum[1], minimum[0]) << "a launch over many words takes longer";
  else
    EXPECT_EQ(minimum, std::vector<double>(3, 0)) << "nothing is executed";
}

TEST_P(Times, CallsWithoutTimesAreRefused) {
  heddle_launches *timed = recordTimed(loadArithmetic(), {memoryOf(numbered(manyWords))}, launches);
  double seconds[3];
  auto refusal = [&](heddle_launches *recorded, uint64_t count) {
    EXPECT_EQ(device->times(device->self, recorded, seconds, count), HEDDLE_INVALID_ARGUMENT);
    return error();
  };
  EXPECT_EQ(refusal(timed, 3), "the launches were not replayed, or the last replay failed");
  ASSERT_EQ(replay(timed), HEDDLE_OK) << error();
  EXPECT_EQ(refusal(timed, 2), "there is room for the times of 2 launches, expected 3");
  EXPECT_EQ(refusal(nullptr, 3), "the launches do not belong to this device");
  EXPECT_EQ(device->times(device->self, timed, nullptr, 3), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(device->times(device->self, timed, seconds, 3), HEDDLE_OK) << error();
  heddle_launches *untimed = record(loadArithmetic(), {memoryOf(numbered(manyWords))}, launches);
  ASSERT_EQ(replay(untimed), HEDDLE_OK) << error();
  EXPECT_EQ(refusal(untimed, 3), "the launches were recorded without timers");
}

TEST_P(Times, TimesOfNoLaunches) {
  heddle_launches *recorded = recordTimed(loadArithmetic(), {}, {});
  ASSERT_EQ(replay(recorded), HEDDLE_OK) << error();
  EXPECT_EQ(device->times(device->self, recorded, nullptr, 0), HEDDLE_OK) << error();
}
