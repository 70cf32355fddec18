//===- attention_ranges_test.cpp - attention with positions in ranges -----===//
//
// Compiles the 200 random attentions with their queries, keys or both in ranges, and verifies each at five sizes.
//
//===----------------------------------------------------------------------===//

#include "AttentionRanges.h"

constexpr unsigned numRangeCases = 200, numRangeGroups = 16;

using AttentionRanges = QuotedAttentionRanges;

TEST_P(AttentionRanges, AgreeWithTheInterpreter) {
  auto cases = attentionRangeCases(numRangeCases, 1);
  ASSERT_EQ(cases.size(), numRangeCases);
  for (unsigned i = GetParam(); i < numRangeCases; i += numRangeGroups)
    checkCase(i, cases[i]);
}
INSTANTIATE_TEST_SUITE_P(Random, AttentionRanges, testing::Range(0u, numRangeGroups));
