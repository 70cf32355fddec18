//===- attention_ranges_test.cpp - attention of any number of positions ---===//
//
// The 200 random attentions with their queries, keys or both in ranges, each compiled once and judged at five sizes.
//
//===----------------------------------------------------------------------===//

#include "AttentionCases.h"
#include "CompiledRange.h"

using namespace heddle;

constexpr unsigned numCases = 200, numGroups = 16;

using AttentionRanges = QuotedRanges;

TEST_P(AttentionRanges, AgreeWithTheInterpreter) {
  auto cases = attentionRangeCases(numCases, 1);
  ASSERT_EQ(cases.size(), numCases);
  for (unsigned i = GetParam(); i < numCases; i += numGroups) {
    const AttentionCase &chosen = cases[i];
    SCOPED_TRACE("case " + std::to_string(i) + ", '" + chosen.operation + "', inputs from seed " +
                 std::to_string(chosen.seed));
    std::unique_ptr<Session> session = compileRange(chosen.operation);
    ASSERT_TRUE(session);
    for (unsigned point = 0; point < 5; ++point)
      checkAt(*session, sizesOf(point, chosen.seed),
              [&](mlir::func::FuncOp main) { return attentionInputs(main, chosen.seed + point); });
  }
}
INSTANTIATE_TEST_SUITE_P(Random, AttentionRanges, testing::Range(0u, numGroups));
