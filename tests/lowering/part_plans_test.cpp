//===- part_plans_test.cpp - parts of keys and of contractions ------------===//
//
// Checks how the keys of attention with few queries, and the contraction of a
// small layer, are divided among workgroups.
//
//===----------------------------------------------------------------------===//

#include "EvenParts.h"
#include "tiles/AttentionPartPlan.h"
#include "tiles/LinearTileLowering.h"

#include "heddle/Registry.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace heddle;

namespace {

struct AttentionPartPlans : testing::Test {
  AttentionPartPlans() { context.loadDialect<HeddleDialect>(); }
  /// Returns a plan with steps of 32 keys and products of f32 for heads of `headSize` elements.
  AttentionPartPlan plan(int64_t heads, int64_t keyHeads, const Extent &queries, const Extent &keys,
                         const Extent &batch = 1);

  MLIRContext context;
  AttentionTileBlock::Limits limits = {/*threads=*/256, /*bytes=*/96 * 1024, /*blocks=*/264};
  bool sharesKeys = true, converts = false;
  int64_t headSize = 64;
};

AttentionPartPlan AttentionPartPlans::plan(int64_t heads, int64_t keyHeads, const Extent &queries, const Extent &keys,
                                           const Extent &batch) {
  AttentionPartPlan result = {};
  result.block.keys = 32;
  result.block.stages = 2;
  AttentionOp::Extents sizes = {batch.inTypes(),  heads,    keyHeads, queries.inTypes(),
                                keys.inTypes(), headSize, headSize};
  FragmentKind kind = FmaAttr::get(&context, Float32Type::get(&context));
  EXPECT_TRUE(result.complete({kind, sizes, batch, queries, keys, sharesKeys, converts}, limits));
  return result;
}

TEST_F(AttentionPartPlans, FillADevice) {
  AttentionPartPlan one = plan(12, 12, 1, 4096);
  EXPECT_EQ(one.block.queries, 16);
  EXPECT_EQ(one.block.warps, 1);
  EXPECT_GE(12 * one.parts, limits.blocks);
  EXPECT_LT(12 * (one.parts - 3), limits.blocks);
  EXPECT_GE(one.parts * one.steps * 32, 4096);
  EXPECT_LT((one.parts - 1) * one.steps * 32, 4096);
}

TEST_F(AttentionPartPlans, AreOnePartIfThereAreEnoughHeads) {
  EXPECT_EQ(plan(64, 64, 1, 4096, 8).parts, 1);
  EXPECT_EQ(plan(2, 2, 1, 32).parts, 1);
}

TEST_F(AttentionPartPlans, UseTheSmallestBatchAndTheMostKeys) {
  Extent batch(/*placeholder=*/7, 1, {"b"}, 1, 64), keys(/*placeholder=*/11, 1, {"s"}, 1, 4096);
  EXPECT_EQ(plan(12, 12, 1, keys, batch).parts, plan(12, 12, 1, 4096).parts);
}

TEST_F(AttentionPartPlans, HaveTheHeadsThatShareAKeyHead) {
  AttentionPartPlan shared = plan(32, 4, 1, 4096);
  EXPECT_EQ(shared.heads, 8);
  EXPECT_EQ(shared.block.queries, 16);
  shared = plan(32, 4, 8, 4096);
  EXPECT_EQ(shared.heads, 8);
  EXPECT_EQ(shared.block.queries, 64);
  EXPECT_EQ(shared.block.warps, 4);
  sharesKeys = false;
  EXPECT_EQ(plan(32, 4, 1, 4096).heads, 1);
}

TEST_F(AttentionPartPlans, HaveFewerHeadsIfAWorkgroupIsTooSmall) {
  limits.threads = 64; // two warps, that is, 32 rows
  AttentionPartPlan shared = plan(48, 4, 16, 4096);
  EXPECT_EQ(shared.heads, 2);
  EXPECT_EQ(shared.block.warps, 2);
  shared = plan(48, 4, 5, 4096);
  EXPECT_EQ(shared.heads, 6);
}

/// If copies convert elements, the keys and values of a step pass through registers. The registers of one warp do not
/// suffice for 64 keys and values of 64 elements each, but those of four warps do.
TEST_F(AttentionPartPlans, HaveFewerKeysIfTheyPassThroughRegisters) {
  AttentionOp::Extents sizes = {1, 12, 12, 1, 4096, 64, 64};
  FragmentKind kind = MmaAttr::get(&context, BFloat16Type::get(&context));
  auto keysOf = [&](const AttentionOp::Extents &extents, bool isConverted) {
    AttentionPartPlan result = {};
    result.block.keys = 64;
    result.block.stages = 2;
    EXPECT_TRUE(result.complete({kind, extents, 1, extents.queries, extents.keys, true, isConverted}, limits));
    return result.block.keys;
  };
  EXPECT_EQ(keysOf(sizes, false), 64);
  EXPECT_EQ(keysOf(sizes, true), 32);
  sizes.keyHeads = 3;
  sizes.queries = 16;
  EXPECT_EQ(keysOf(sizes, true), 64);
}

TEST_F(AttentionPartPlans, HaveOneStageIfTwoDoNotFit) {
  headSize = 160;
  limits.bytes = 64 * 1024;
  AttentionPartPlan large = plan(12, 12, 1, 4096);
  EXPECT_EQ(large.block.stages, 1);
}

/// A part has at least eight keys for each of its rows.
TEST_F(AttentionPartPlans, HaveEnoughKeysForTheirRows) {
  AttentionPartPlan many = plan(8, 1, 16, 4096);
  EXPECT_EQ(many.block.queries, 128);
  EXPECT_GE(many.steps * 32, 8 * 128);
}

TEST_F(AttentionPartPlans, DoNotExistForMoreQueriesThanAWorkgroupHasRows) {
  limits.threads = 32;
  AttentionPartPlan result = {};
  result.block.keys = 32;
  result.block.stages = 2;
  FragmentKind kind = FmaAttr::get(&context, Float32Type::get(&context));
  EXPECT_FALSE(result.complete({kind, {1, 1, 1, 17, 64, 8, 8}, 1, 17, 64, true, false}, limits));
}

/// A warp that copies 32 keys and values of 192 elements each has no registers for all of their addresses.
TEST_F(AttentionPartPlans, DoNotExistForHeadsThatNeedTooManyRegisters) {
  FragmentKind kind = FmaAttr::get(&context, Float32Type::get(&context));
  for (auto [size, fits] : {std::pair(160, true), std::pair(192, false)}) {
    AttentionPartPlan result = {};
    result.block.keys = 32;
    result.block.stages = 2;
    EXPECT_EQ(result.complete({kind, {1, 12, 3, 4, 4096, size, size}, 1, 4, 4096, true, false}, limits), fits);
  }
}

TEST(EvenPartsTest, HaveAllStepsAndAreAsFewAsPossible) {
  for (int64_t all = 1; all <= 130; ++all)
    for (int64_t wanted = 1; wanted <= 40; ++wanted)
      for (int64_t fewest : {1, 3, 8}) {
        EvenParts even = EvenParts::of(all, wanted, fewest);
        SCOPED_TRACE(testing::Message() << all << " steps, " << wanted << " parts of at least " << fewest);
        EXPECT_GE(even.steps * even.count, all);
        EXPECT_LT(even.steps * (even.count - 1), all);
        EXPECT_TRUE(even.count == 1 || even.steps >= fewest);
        if (wanted * fewest <= all / 2)
          EXPECT_GE(even.count, wanted);
        // With one step more in each part, there would be fewer parts than wanted.
        if (even.count > wanted)
          EXPECT_LT(llvm::divideCeilSigned(all, even.steps + 1), wanted);
      }
}

TEST(EvenPartsTest, HaveAllStepsInAtMostAsManyParts) {
  for (int64_t all = 1; all <= 130; ++all)
    for (int64_t most = 1; most <= 40; ++most) {
      EvenParts even = EvenParts::atMost(all, most);
      SCOPED_TRACE(testing::Message() << all << " steps, at most " << most << " parts");
      EXPECT_LE(even.count, most);
      EXPECT_GE(even.steps * even.count, all);
      EXPECT_LT(even.steps * (even.count - 1), all);
      if (even.steps > 1) // with smaller parts, there would be more than `most`
        EXPECT_GT(llvm::divideCeilSigned(all, even.steps - 1), most);
    }
}

TEST(LinearPartsTest, FillADevice) {
  LinearParts parts = {/*workgroups=*/264, /*terms=*/64};
  int64_t terms = parts.findTerms(1536, 16, 12);
  EXPECT_EQ(terms % 16, 0);
  EXPECT_GE(12 * llvm::divideCeil(1536, terms), 264u);
  EXPECT_GE(terms, 64);
}

TEST(LinearPartsTest, AreOnePartOfALargeLayerOrAShortContraction) {
  LinearParts parts = {/*workgroups=*/264, /*terms=*/64};
  EXPECT_GE(parts.findTerms(1536, 16, 67), 1536);
  EXPECT_LT(parts.findTerms(1536, 16, 66), 1536);
  EXPECT_GE(parts.findTerms(64, 16, 1), 64);
  EXPECT_GE(parts.findTerms(112, 16, 1), 112);
  EXPECT_EQ(parts.findTerms(128, 16, 1), 64);
  EXPECT_GE(LinearParts{}.findTerms(1536, 16, 1), 1536);
}

} // namespace
