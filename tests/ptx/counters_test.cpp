// The interpreter of PTX counts memory accesses as a profiler does. The tests compare these counts with counts that
// follow from the access pattern. Shared memory has 32 banks of 4 bytes; device memory is accessed in sectors of 32
// bytes.

#include "Kernels.h"

#include "ptx/Counters.h"

#include <gtest/gtest.h>

using namespace heddle::ptx;

namespace {

/// Returns the addresses `of(lane)` for all lanes of a warp.
template <typename F> std::vector<uint64_t> addresses(F of) {
  std::vector<uint64_t> values;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    values.push_back(of(lane));
  return values;
}

} // namespace

TEST(PtxCounters, Wavefronts) {
  EXPECT_EQ(wavefronts(addresses([](unsigned l) { return 4 * l; }).data(), allLanes, 4), 1u);
  EXPECT_EQ(wavefronts(addresses([](unsigned) { return 64; }).data(), allLanes, 4), 1u);
  EXPECT_EQ(wavefronts(addresses([](unsigned l) { return 8 * l; }).data(), allLanes, 4), 2u);
  EXPECT_EQ(wavefronts(addresses([](unsigned l) { return 128 * l; }).data(), allLanes, 4), 32u);
  EXPECT_EQ(wavefronts(addresses([](unsigned l) { return 132 * l; }).data(), allLanes, 4), 1u);
  EXPECT_EQ(wavefronts(addresses([](unsigned l) { return 16 * l; }).data(), allLanes, 16), 4u);
  EXPECT_EQ(wavefronts(addresses([](unsigned l) { return 128 * l; }).data(), allLanes, 16), 32u);
  EXPECT_EQ(wavefronts(addresses([](unsigned l) { return 128 * l; }).data(), 0xf, 4), 4u);
  EXPECT_EQ(wavefronts(addresses([](unsigned l) { return 2 * l; }).data(), allLanes, 2), 1u);
}

TEST(PtxCounters, Sectors) {
  EXPECT_EQ(sectors(addresses([](unsigned l) { return 4 * l; }).data(), allLanes, 4), 4u);
  EXPECT_EQ(sectors(addresses([](unsigned l) { return 16 * l; }).data(), allLanes, 16), 16u);
  EXPECT_EQ(sectors(addresses([](unsigned l) { return 32 * l; }).data(), allLanes, 4), 32u);
  EXPECT_EQ(sectors(addresses([](unsigned) { return 0; }).data(), allLanes, 4), 1u);
  EXPECT_EQ(sectors(addresses([](unsigned l) { return 4 * l + 16; }).data(), allLanes, 4), 5u);
}

TEST(PtxCounters, CountsOfAKernel) {
  Buffer out(256);
  Counters counters;
  Shape shape;
  shape.threads = {64, 1, 1};
  shape.counters = &counters;
  ASSERT_EQ(
      execute(kernel(1, R"(mov.u32 %r1, memory; shl.b32 %r2, %r0, 2; add.u32 %r2, %r2, %r1; st.shared.b32 [%r2], %r0;
                                 bar.sync 0; ld.shared.b32 %r3, [%r2]; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd1, %rd0;
                                 st.global.b32 [%rd1], %r3;)",
                     ".shared .align 4 .b8 memory[256];"),
              {&out}, shape),
      "");
  EXPECT_EQ(counters.instructions, 2u * 12); // Each of two warps executes 12: 2 before the body, 9 in it, and ret.
  EXPECT_EQ(counters.barriers, 2u);
  EXPECT_EQ(counters.sharedRequests, 4u);
  EXPECT_EQ(counters.sharedWavefronts, 4u);
  EXPECT_EQ(counters.globalRequests, 2u);
  EXPECT_EQ(counters.globalSectors, 8u);
}
