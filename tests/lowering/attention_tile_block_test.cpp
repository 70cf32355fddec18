//===- attention_tile_block_test.cpp - blocks of attention by tiles -------===//

#include "tiles/AttentionTileBlock.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir;
using namespace heddle;

namespace {
constexpr int64_t kib = 1024;
constexpr AttentionTileBlock::Limits usual = {256, 96 * kib, 128};

struct AttentionTileBlocks : testing::Test {
  AttentionTileBlocks() {
    context.loadDialect<HeddleDialect>();
    floats = FmaAttr::get(&context, Float32Type::get(&context));
    matrices = MmaAttr::get(&context, BFloat16Type::get(&context));
  }
  static AttentionOp::Extents sizesOf(int64_t headSize, int64_t valueSize, int64_t keys = 4096) {
    AttentionOp::Extents sizes = {};
    sizes.headSize = headSize;
    sizes.valueSize = valueSize;
    sizes.keys = keys;
    return sizes;
  }

  MLIRContext context;
  FragmentKind floats, matrices;
};
} // namespace

/// A block that fits is not changed.
TEST_F(AttentionTileBlocks, StayIfTheyFit) {
  for (auto [kind, keys] : {std::pair(floats, 32), std::pair(matrices, 64)}) {
    AttentionTileBlock block = {128, keys, 4, 2};
    ASSERT_TRUE(block.fit(kind, sizesOf(64, 64), /*heads=*/64, /*queries=*/2048, usual));
    EXPECT_EQ(block.queries, 128);
    EXPECT_EQ(block.keys, keys);
    EXPECT_EQ(block.warps, 4);
    EXPECT_EQ(block.stages, 2);
  }
}

/// If a workgroup has fewer threads, it has fewer warps, but it has fewer queries only if the registers of the
/// remaining lanes do not suffice. An odd number of warps cannot be halved.
TEST_F(AttentionTileBlocks, HaveFewerWarpsForFewerThreads) {
  AttentionTileBlock block = {64, 32, 4, 2};
  ASSERT_TRUE(block.fit(floats, sizesOf(16, 16), 64, 2048, {64, 96 * kib, 1}));
  EXPECT_EQ(block.warps, 2);
  EXPECT_EQ(block.queries, 64);
  AttentionTileBlock odd = {96, 32, 3, 2};
  EXPECT_FALSE(odd.fit(floats, sizesOf(16, 16), 64, 2048, {64, 96 * kib, 1}));
}

/// If the tiles do not fit into memory, the number of queries is halved, but not below 64. If that does not suffice,
/// the number of stages is reduced.
TEST_F(AttentionTileBlocks, HaveFewerStagesBeforeFewQueries) {
  AttentionTileBlock block = {128, 32, 4, 2};
  ASSERT_TRUE(block.fit(floats, sizesOf(160, 160), 64, 2048, usual));
  EXPECT_EQ(block.queries, 64);
  EXPECT_EQ(block.stages, 1);
}

/// Copies that convert elements hold them in registers, which leaves fewer registers for scores.
TEST_F(AttentionTileBlocks, HaveFewerKeysIfCopiesConvert) {
  AttentionTileBlock stored = {128, 64, 4, 2}, converted = stored;
  converted.converts = true;
  ASSERT_TRUE(stored.fit(matrices, sizesOf(128, 128), 64, 2048, usual));
  ASSERT_TRUE(converted.fit(matrices, sizesOf(128, 128), 64, 2048, usual));
  EXPECT_EQ(stored.keys, 64);
  EXPECT_EQ(converted.keys, 32);
}

/// If there are few workgroups, each has fewer queries, and its steps have twice as many keys if these fit and the last
/// step does not need more padding.
TEST_F(AttentionTileBlocks, HaveMoreKeysIfThereAreFewWorkgroups) {
  for (auto [keys, expected] : {std::pair(512, 64), std::pair(70, 32)}) {
    AttentionTileBlock block = {128, 32, 4, 2};
    ASSERT_TRUE(block.fit(floats, sizesOf(64, 64, keys), /*heads=*/12, /*queries=*/512, usual));
    EXPECT_EQ(block.queries, 64);
    EXPECT_EQ(block.keys, expected);
  }
}

/// If a block is given fewer queries and therefore fewer warps, each remaining lane copies more elements. If the
/// registers then do not suffice, the block is given fewer keys or one stage, or does not fit.
TEST_F(AttentionTileBlocks, HaveRegistersAfterTheyHaveFewerWarps) {
  AttentionTileBlock converted = {128, 64, 8, 2, /*converts=*/true};
  ASSERT_TRUE(converted.hasRegisters(matrices, sizesOf(128, 128)));
  ASSERT_TRUE(converted.fit(matrices, sizesOf(128, 128), 64, 2048, {256, 90 * kib, 1}));
  EXPECT_EQ(converted.warps, 4);
  EXPECT_EQ(converted.keys, 32);
  // By their keys and values alone, these blocks would have enough registers with four warps.
  for (auto [head, value, fits] : {std::tuple(192, 192, true), std::tuple(64, 256, true), std::tuple(320, 64, true),
                                   std::tuple(224, 224, false), std::tuple(256, 256, false)}) {
    AttentionTileBlock block = {128, 32, 4, 2};
    EXPECT_EQ(block.fit(floats, sizesOf(head, value), 64, 2048, usual), fits) << head << ", " << value;
  }
}

/// Whatever the sizes and limits are, a block that fits consists of whole fragments and does not exceed the limits.
TEST_F(AttentionTileBlocks, KeepTheLimits) {
  std::mt19937 random(1);
  auto pick = [&](std::vector<int64_t> values) { return values[random() % values.size()]; };
  unsigned fitting = 0;
  for (unsigned i = 0; i < 150; ++i) {
    FragmentKind kind = i % 2 ? floats : matrices;
    auto [m, n, k] = kind.getShape();
    int64_t warps = pick({1, 2, 3, 4, 8});
    AttentionTileBlock block = {m * warps * pick({1, 2, 4}), pick({32, 64, 128}), warps, pick({1, 2, 3}),
                                random() % 2 == 0};
    AttentionOp::Extents sizes = sizesOf(1 + random() % 256, 1 + random() % 256, 1 + random() % 4096);
    AttentionTileBlock::Limits limits = {pick({32, 64, 128, 256}), pick({8, 48, 96}) * kib, pick({1, 128})};
    AttentionTileBlock before = block;
    if (!block.fit(kind, sizes, /*heads=*/1 + random() % 64, /*queries=*/1 + random() % 4096, limits))
      continue;
    ++fitting;
    SCOPED_TRACE("case " + std::to_string(i));
    EXPECT_LE(block.warps * FragmentKind::lanes, limits.threads);
    EXPECT_TRUE(block.hasRegisters(kind, sizes));
    EXPECT_EQ(block.queries % (block.warps * m), 0);
    EXPECT_EQ(block.keys % n, 0);
    EXPECT_EQ(block.keys % k, 0);
    EXPECT_LE(block.queries, before.queries);
    EXPECT_GE(block.stages, 1);
    EXPECT_LE(block.stages, before.stages);
    int64_t width = kind.getElementOf(FragmentRole::Left).getIntOrFloatBitWidth() / 8;
    int64_t columns = AttentionTileBlock::getDepth(kind, sizes.headSize);
    int64_t ofKeys = columns + AttentionTileBlock::getWidth(kind, sizes.valueSize);
    int64_t weights = AttentionTileBlock::keepsWeights(kind) ? 0 : block.keys;
    EXPECT_LE(width * (block.queries * (columns + weights) + block.stages * block.keys * ofKeys), limits.bytes);
  }
  EXPECT_GT(fitting, 40u);
}
