//===- arena_packing_test.cpp - buffers that share memory -----------------===//
//
// packBuffers assigns offsets in the arena to buffers, in multiples of 64 bytes.
// A buffer is given by its size in bytes and the first and the last time at
// which it is live.
//
//===----------------------------------------------------------------------===//

#include "ArenaPacking.h"

#include "gtest/gtest.h"

#include <random>
#include <vector>

using namespace heddle;

namespace {

TEST(ArenaPacking, BuffersOfDifferentTimesShareBytes) {
  std::vector<PackedBuffer> buffers = {{100, 0, 1}, {100, 1, 2}, {100, 2, 3}};
  EXPECT_EQ(packBuffers(buffers), 256);
  EXPECT_EQ(buffers[0].offset, buffers[2].offset);
  EXPECT_NE(buffers[0].offset, buffers[1].offset);
}

TEST(ArenaPacking, SmallBuffersFillGaps) {
  std::vector<PackedBuffer> buffers = {{256, 0, 9}, {128, 0, 3}, {64, 5, 9}, {64, 4, 9}};
  EXPECT_EQ(packBuffers(buffers), 384);
}

TEST(ArenaPacking, NoBuffersNeedNoMemory) { EXPECT_EQ(packBuffers({}), 0); }

TEST(ArenaPacking, RandomBuffersNeverOverlap) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<PackedBuffer> buffers(40);
    int64_t sum = 0;
    for (PackedBuffer &buffer : buffers) {
      buffer.size = 1 + random() % 1000;
      buffer.first = random() % 60;
      buffer.last = buffer.first + random() % 20;
      sum += (buffer.size + 63) / 64 * 64;
    }
    int64_t total = packBuffers(buffers);
    EXPECT_LE(total, sum);
    for (const PackedBuffer &a : buffers) {
      EXPECT_EQ(a.offset % bufferAlignment, 0);
      EXPECT_LE(a.offset + a.size, total);
      for (const PackedBuffer &b : buffers)
        if (&a != &b && a.first <= b.last && b.first <= a.last)
          EXPECT_TRUE(a.offset + a.size <= b.offset || b.offset + b.size <= a.offset);
    }
  }
}

} // namespace
