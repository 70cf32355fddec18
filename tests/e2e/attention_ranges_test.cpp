//===- attention_ranges_test.cpp - attention with positions in ranges -----===//
//
// Compiles the 200 random attentions with their queries, keys or both in ranges, and verifies each at five sizes.
//
//===----------------------------------------------------------------------===//

#include "AttentionRanges.h"

constexpr unsigned numCases = 200, numGroups = 16;

using AttentionRanges = QuotedAttentionRanges;

TEST_P(AttentionRanges, AgreeWithTheInterpreter) {
  auto cases = attentionRangeCases(numCases, 1);
  ASSERT_EQ(cases.size(), numCases);
  for (unsigned i = GetParam(); i < numCases; i += numGroups)
    checkCase(i, cases[i]);
}
INSTANTIATE_TEST_SUITE_P(Random, AttentionRanges, testing::Range(0u, numGroups));
