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
    for (unsigned point = 0; point < 5; ++point) {
      std::vector<size_t> sizes; // the least, the largest, and some between
      for (auto [number, range] : llvm::enumerate(ranges)) {
        size_t span = range.high - range.low + 1, low = range.low;
        size_t between = (chosen.seed * 7 + point * (number + 3) * 13) % span;
        sizes.push_back(point == 0 ? low : point == 1 ? low + span - 1 : low + between);
      }
      checkAt(*session, sizes, [&](mlir::func::FuncOp main) { return attentionInputs(main, chosen.seed + point); });
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Random, AttentionRanges, testing::Range(0u, numGroups));
