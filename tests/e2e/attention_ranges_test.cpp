//===- attention_ranges_test.cpp - attention with positions in ranges -----===//
//
// Compiles random attentions with queries, keys or both in ranges: every second of those with no knob, one or two, each
// verified at the smallest sizes, the largest and some between. tests/long.sh takes every pair of knobs, and more sizes.
//
//===----------------------------------------------------------------------===//

#include "AttentionRanges.h"

#include "../random/CaseCount.h"

constexpr unsigned numRangeGroups = 16;

using AttentionRanges = QuotedAttentionRanges;

TEST_P(AttentionRanges, AgreeWithTheInterpreter) {
  bool isLong = caseCount(1) > 1;
  unsigned step = isLong ? 1 : 2, points = isLong ? 5 : 3;
  auto cases = attentionRangeCases(caseCount(numKnobSets()), 1);
  ASSERT_EQ(cases.size(), caseCount(numKnobSets()));
  for (unsigned i = step * GetParam(); i < cases.size(); i += step * numRangeGroups)
    checkCase(i, cases[i], points);
}
INSTANTIATE_TEST_SUITE_P(Random, AttentionRanges, testing::Range(0u, numRangeGroups));
