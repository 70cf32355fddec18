//===- attention_ranges_test.cpp - attention with positions in ranges -----===//
//
// Compiles random attentions with every pair of knobs, and with queries, keys or both in ranges, and verifies each at
// five sizes.
//
//===----------------------------------------------------------------------===//

#include "AttentionRanges.h"

#include "../random/CaseCount.h"

constexpr unsigned numRangeGroups = 16;

using AttentionRanges = QuotedAttentionRanges;

TEST_P(AttentionRanges, AgreeWithTheInterpreter) {
  auto cases = attentionRangeCases(caseCount(numKnobSets()), 1);
  ASSERT_EQ(cases.size(), caseCount(numKnobSets()));
  for (unsigned i = GetParam(); i < cases.size(); i += numRangeGroups)
    checkCase(i, cases[i]);
}
INSTANTIATE_TEST_SUITE_P(Random, AttentionRanges, testing::Range(0u, numRangeGroups));
