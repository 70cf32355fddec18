//===- attention_ranges_test.cpp - attention with positions in ranges -----===//
//
// Compiles random attention operations whose numbers of queries, of keys, or both lie in ranges, and verifies each at
// the smallest sizes, at the largest sizes and at sizes between them. Of the cases with at most two knobs, the test
// runs every second one. tests/long.sh runs all of these cases and cases with more knobs, and verifies each at more
// sizes.
//
//===----------------------------------------------------------------------===//

#include "AttentionRanges.h"

#include "../random/CaseCount.h"

constexpr unsigned numRangeGroups = 16; // the number of tests into which the cases are divided, for ctest -j

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
