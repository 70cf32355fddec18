//===- attention_plan_test.cpp - how attention is cut into blocks ---------===//
//
// An AttentionPlan divides the queries of attention among tasks, and the keys
// into blocks. These tests check that each query is in one task and each key in
// one block, how causal order affects the blocks, and which masks allow the code
// to skip keys.
//
//===----------------------------------------------------------------------===//

#include "attention/AttentionPlan.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace heddle;

namespace {

/// Returns the facts of an op with one head and nothing that removes keys.
AttentionFacts factsOf(const Extent &queries, const Extent &keys) {
  AttentionFacts facts;
  facts.queries = queries;
  facts.keys = keys;
  facts.valueSize = 64;
  return facts;
}

/// Returns a number of keys or queries that lies in a range.
Extent rangeOf(int64_t high) { return Extent(/*placeholder=*/1009, 1, {"s"}, 1, high); }

/// Returns blocks of at most this many queries and keys.
AttentionTiles tilesOf(int64_t blockQ, int64_t blockK) {
  AttentionTiles tiles;
  tiles.blockQ = blockQ;
  tiles.blockK = blockK;
  return tiles;
}

/// Returns blocks of at most this many queries and keys, with keys in lanes.
AttentionTiles rowsOf(int64_t blockQ, int64_t blockK) {
  AttentionTiles tiles = tilesOf(blockQ, blockK);
  tiles.inRows = true;
  return tiles;
}

/// Checks that the blocks contain each of `queries` queries once and in order, and that the number of lanes of a block
/// is its number of queries, rounded up to whole vectors.
void checkGroups(ArrayRef<QueryBlocks> groups, int64_t queries, int64_t lanes) {
  int64_t next = 0;
  for (const QueryBlocks &blocks : groups) {
    EXPECT_EQ(blocks.first, next);
    EXPECT_GT(blocks.count, 0);
    EXPECT_GT(blocks.rows, 0);
    EXPECT_EQ(blocks.lanes, int64_t(llvm::alignTo(blocks.rows, lanes)));
    next += blocks.count * blocks.rows;
  }
  EXPECT_EQ(next, queries);
}

} // namespace

TEST(AttentionPlans, CutQueriesIntoAtMostTwoGroups) {
  for (int64_t lanes : {8, 16})
    for (int64_t limit : {5, 16, 40, 48, 64})
      for (int64_t queries = 1; queries <= 300; ++queries) {
        SCOPED_TRACE(testing::Message() << queries << " queries, blocks of at most " << limit << ", " << lanes);
        auto groups = cutQueries(queries, limit, lanes);
        checkGroups(groups, queries, lanes);
        EXPECT_LE(groups.size(), 2u);
        for (const QueryBlocks &blocks : groups)
          EXPECT_LE(blocks.rows, std::max(limit, lanes));
      }
}

TEST(AttentionPlans, PreferEqualBlocksOfQueries) {
  auto equal = cutQueries(96, 64, 16); // rather than 64 and 32
  ASSERT_EQ(equal.size(), 1u);
  EXPECT_EQ(equal[0].rows, 48);
  auto different = cutQueries(70, 64, 16); // two blocks of 35 would have 96 lanes, but blocks of 64 and 6 have only 80
  EXPECT_EQ(different.size(), 2u);
}

TEST(AttentionPlans, HaveAllKeysInBlocks) {
  for (bool inRows : {false, true})
    for (bool transposes : {false, true})
      for (int64_t limit : {16, 32, 100, 192})
        for (int64_t keys = 1; keys <= 600; keys += 7) {
          AttentionFacts facts = factsOf(64, keys);
          facts.transposes = transposes;
          AttentionPlan plan = AttentionPlan::of(facts, inRows ? rowsOf(64, limit) : tilesOf(64, limit));
          SCOPED_TRACE(testing::Message() << keys << " keys, blocks of at most " << limit);
          EXPECT_FALSE(plan.countsKeys);
          EXPECT_EQ(plan.fullBlocks * plan.blockK + plan.tail, keys);
          EXPECT_LT(plan.tail, plan.blockK);
          EXPECT_EQ(plan.once, plan.blockK == keys && plan.fullBlocks == 1);
          EXPECT_LE(plan.blockK, std::max(limit + limit / 2, int64_t(llvm::alignTo(limit, 16))));
          if (transposes && !plan.once && plan.blockK < keys)
            EXPECT_EQ(plan.blockK % 16, 0);
        }
}

TEST(AttentionPlans, HaveOneBlockOfKeysIfAllProbabilitiesAreNeeded) {
  AttentionFacts facts = factsOf(64, 1000);
  EXPECT_FALSE(AttentionPlan::of(facts, tilesOf(64, 128)).once);
  AttentionTiles stored = tilesOf(64, 128);
  stored.stored = true;
  EXPECT_TRUE(AttentionPlan::of(facts, stored).once);
  facts.storesWeights = true;
  EXPECT_TRUE(AttentionPlan::of(facts, tilesOf(64, 128)).once);
  facts.keys = rangeOf(1000);
  AttentionPlan plan = AttentionPlan::of(facts, tilesOf(64, 128));
  EXPECT_TRUE(plan.once && plan.countsKeys);
  EXPECT_EQ(plan.blockK, 1008); // whole vectors of 16
}

// If the number of keys is known only at run time, no block size may be a multiple of a placeholder, since it would be
// mistaken for an extent that depends on a size. Placeholders have prime factors of 5 or more.
TEST(AttentionPlans, HaveBlocksOfCountedKeysWithoutLargeFactors) {
  for (bool inRows : {false, true})
    for (bool transposes : {false, true})
      for (int64_t limit = 1; limit <= 600; ++limit) {
        AttentionFacts facts = factsOf(inRows ? Extent(2) : rangeOf(300), rangeOf(300));
        facts.transposes = transposes;
        AttentionPlan plan = AttentionPlan::of(facts, inRows ? rowsOf(8, limit) : tilesOf(64, limit));
        SCOPED_TRACE(testing::Message() << "blocks of at most " << limit);
        EXPECT_TRUE(plan.countsKeys);
        EXPECT_FALSE(plan.once);
        EXPECT_EQ(plan.fullBlocks, 0);
        int64_t unit = inRows ? 16 : transposes ? 48 : 12, rest = plan.blockK;
        EXPECT_EQ(plan.blockK % unit, 0);
        EXPECT_LE(plan.blockK, std::max(limit, unit));
        while (rest % 2 == 0)
          rest /= 2;
        while (rest % 3 == 0)
          rest /= 3;
        EXPECT_EQ(rest, 1);
      }
}

// If attention reads a state and has key lengths, the code counts the filled rows at run time and reads only these.
// Without key lengths, all rows are filled.
TEST(AttentionPlans, CountTheFilledRowsOfAState) {
  AttentionFacts facts = factsOf(1, 256);
  facts.readsState = facts.hasKeyLengths = true;
  EXPECT_TRUE(AttentionPlan::of(facts, rowsOf(8, 64)).countsKeys);
  EXPECT_TRUE(AttentionPlan::of(facts, tilesOf(64, 64)).countsKeys);
  facts.storesWeights = true;
  EXPECT_FALSE(AttentionPlan::of(facts, tilesOf(64, 64)).countsKeys);
  facts.storesWeights = facts.hasKeyLengths = false;
  EXPECT_FALSE(AttentionPlan::of(facts, rowsOf(8, 64)).countsKeys);
  facts.hasKeyLengths = true;
  facts.readsState = false;
  EXPECT_FALSE(AttentionPlan::of(facts, rowsOf(8, 64)).countsKeys);
}

TEST(AttentionPlans, PrefetchStatesWithKeysInLanes) {
  AttentionFacts facts = factsOf(1, 256);
  facts.readsState = true;
  AttentionTiles tiles = rowsOf(8, 64);
  EXPECT_EQ(AttentionPlan::of(facts, tiles).prefetchBytes, 4096);
  tiles.pastCache = 2;
  EXPECT_EQ(AttentionPlan::of(facts, tiles).prefetchBytes, 16384);
  EXPECT_EQ(AttentionPlan::of(facts, tilesOf(64, 64)).prefetchBytes, 0);
  facts.readsState = false;
  EXPECT_EQ(AttentionPlan::of(facts, tiles).prefetchBytes, 0);
}

// If blocks are cut along the diagonal, each query sees all keys of the blocks before the one on the diagonal and no
// key of the blocks after it. In the block on the diagonal, query i sees the keys up to key i.
TEST(AttentionPlans, CutBlocksOnTheDiagonal) {
  int64_t cut = 0;
  for (Causal causal : {Causal::UpperLeft, Causal::LowerRight})
    for (int64_t blockQ : {16, 48, 64})
      for (int64_t blockK : {32, 64, 128})
        for (int64_t keys = 32; keys <= 256; keys += 16)
          for (int64_t queries = 16; queries <= keys; queries += 16) {
            AttentionFacts facts = factsOf(queries, keys);
            facts.causal = causal;
            AttentionPlan plan = AttentionPlan::of(facts, tilesOf(blockQ, blockK));
            SCOPED_TRACE(testing::Message() << queries << " queries, " << keys << " keys");
            checkGroups(plan.groups, queries, 16);
            for (const QueryBlocks &blocks : plan.groups) {
              if (!blocks.cutsDiagonal)
                continue;
              ++cut;
              EXPECT_EQ(plan.diagonal, causal == Causal::UpperLeft ? 0 : keys - queries);
              for (int64_t block = 0; block < blocks.count; ++block) {
                int64_t firstQuery = blocks.first + block * blocks.rows, firstKey = firstQuery + plan.diagonal;
                EXPECT_EQ(firstKey % plan.blockK, 0);
                EXPECT_EQ(blocks.rows, plan.blockK);
                EXPECT_LE(firstKey + plan.blockK, keys);
              }
            }
          }
  EXPECT_GT(cut, 100);
}

TEST(AttentionPlans, CutNoDiagonalIfAnythingElseChangesOrRemovesScores) {
  AttentionFacts plain = factsOf(512, 512);
  plain.causal = Causal::LowerRight;
  auto isCut = [](const AttentionFacts &facts, const AttentionTiles &tiles) {
    return AttentionPlan::of(facts, tiles).groups[0].cutsDiagonal;
  };
  AttentionTiles tiles = tilesOf(64, 128);
  EXPECT_TRUE(isCut(plain, tiles));
  for (bool AttentionFacts::*fact : {&AttentionFacts::hasWindow, &AttentionFacts::hasKeyLengths,
                                     &AttentionFacts::changesScores, &AttentionFacts::storesWeights}) {
    AttentionFacts facts = plain;
    facts.*fact = true;
    EXPECT_FALSE(isCut(facts, tiles));
  }
  for (bool AttentionTiles::*mode : {&AttentionTiles::stored, &AttentionTiles::inRows, &AttentionTiles::whole}) {
    AttentionTiles changed = tiles;
    changed.*mode = true;
    EXPECT_FALSE(isCut(plain, changed));
  }
  AttentionFacts other = plain;
  other.causal = Causal::None;
  EXPECT_FALSE(isCut(other, tiles));
  // Blocks of 64 queries and keys would fit, but some queries have no key on the diagonal: with LowerRight the first
  // 64, with UpperLeft the last 64.
  for (Causal causal : {Causal::LowerRight, Causal::UpperLeft}) {
    other = factsOf(576, 512);
    other.causal = causal;
    EXPECT_FALSE(isCut(other, tiles)) << stringifyCausal(causal).str();
    other.keys = 576;
    EXPECT_TRUE(isCut(other, tiles)) << stringifyCausal(causal).str();
  }
  other = plain;
  other.keys = 513; // the diagonal does not pass through corners
  EXPECT_FALSE(isCut(other, tiles));
  other = plain;
  other.keys = rangeOf(512);
  EXPECT_FALSE(isCut(other, tiles));
}

// With causal order or a window, a block of keys is at most as large as a block of queries, whose size is rounded to a
// power of two, and short sequences have smaller blocks, so that more blocks are skipped.
TEST(AttentionPlans, HaveSmallerBlocksIfKeysAreRemovedByOrder) {
  AttentionFacts facts = factsOf(1000, 1000);
  facts.hasWindow = true;
  AttentionPlan plan = AttentionPlan::of(facts, tilesOf(48, 192));
  EXPECT_EQ(plan.blockK, 32); // the power of two below 48
  facts.queries = facts.keys = 100;
  EXPECT_EQ(AttentionPlan::of(facts, tilesOf(48, 192)).blockK, 16);
  facts.hasWindow = false;
  facts.causal = Causal::UpperLeft;
  facts.queries = facts.keys = 512;
  EXPECT_EQ(AttentionPlan::of(facts, tilesOf(48, 192)).blockK, 64); // above 48, since the diagonal is cut
  EXPECT_EQ(AttentionPlan::of(facts, tilesOf(48, 32)).blockK, 32);
}

TEST(AttentionPlans, HaveOutputsInRowsWithFewKeys) {
  auto isInRows = [](const Extent &queries, const Extent &keys, const AttentionTiles &tiles, int64_t valueSize = 64) {
    AttentionFacts facts = factsOf(queries, keys);
    facts.valueSize = valueSize;
    return AttentionPlan::of(facts, tiles).groups[0].outputInRows;
  };
  AttentionTiles stored = tilesOf(64, 128);
  stored.stored = true;
  EXPECT_TRUE(isInRows(26, 1, tilesOf(64, 128)));
  EXPECT_TRUE(isInRows(26, 2000, stored));
  EXPECT_FALSE(isInRows(26, 2000, tilesOf(64, 128))); // several blocks
  EXPECT_FALSE(isInRows(rangeOf(26), 1, tilesOf(64, 128)));
  EXPECT_FALSE(isInRows(26, rangeOf(2), stored));
  EXPECT_TRUE(isInRows(1, 2000, rowsOf(8, 128)));
  // In rows, the last 5 of 21 elements take as long as 8, so each key costs 32 x 3 multiplications more. Transposing
  // the output costs as much as 32 x 32 x log2(16) = 4096 multiplications.
  EXPECT_TRUE(isInRows(32, 42, stored, /*valueSize=*/21));
  EXPECT_FALSE(isInRows(32, 43, stored, /*valueSize=*/21));
}

TEST(AttentionPlans, SkipMaskedEndsOfSeveralBlocks) {
  auto skips = [](const AttentionFacts &facts, const AttentionTiles &tiles) {
    return AttentionPlan::of(facts, tiles).skipsMaskedEnds;
  };
  AttentionFacts facts = factsOf(64, 1000);
  EXPECT_FALSE(skips(facts, tilesOf(64, 128)));
  facts.masksKeys = true;
  EXPECT_TRUE(skips(facts, tilesOf(64, 128)));
  EXPECT_TRUE(skips(facts, rowsOf(64, 128)));
  AttentionTiles whole = tilesOf(64, 128), stored = whole;
  whole.whole = stored.stored = true;
  EXPECT_FALSE(skips(facts, whole));
  EXPECT_FALSE(skips(facts, stored)); // one block
  facts.keys = 128;
  EXPECT_FALSE(skips(facts, tilesOf(64, 128))); // one block
  facts.keys = rangeOf(1000);
  EXPECT_TRUE(skips(facts, tilesOf(64, 128)));
}

TEST(AttentionPlans, HaveOneTaskForHeadsThatShareAKeyHead) {
  AttentionFacts facts = factsOf(2, 100);
  facts.heads = 12;
  facts.keyHeads = 3;
  EXPECT_EQ(AttentionPlan::of(facts, rowsOf(8, 512)).sharing, 4);
  EXPECT_EQ(AttentionPlan::of(facts, rowsOf(7, 512)).sharing, 1); // four heads have eight queries
  EXPECT_EQ(AttentionPlan::of(facts, tilesOf(64, 512)).sharing, 1);
}

TEST(AttentionPlans, DivideBlocksOfKeysAmongTasks) {
  AttentionTiles tiles = rowsOf(8, 64);
  tiles.inParts = true;
  for (int64_t keys : {65, 200, 2048, 2049, 100000})
    for (const Extent &number : {Extent(keys), rangeOf(keys)}) {
      AttentionPlan plan = AttentionPlan::of(factsOf(1, number), tiles);
      ASSERT_TRUE(plan.parts);
      EXPECT_LE(plan.parts->count, 32);
      EXPECT_GE(plan.parts->count * plan.parts->steps * plan.blockK, keys);
      EXPECT_LT((plan.parts->count - 1) * plan.parts->steps * plan.blockK, keys);
    }
  EXPECT_FALSE(AttentionPlan::of(factsOf(1, 64), tiles).parts); // one block
  tiles.inParts = false;
  EXPECT_FALSE(AttentionPlan::of(factsOf(1, 2048), tiles).parts);
}
