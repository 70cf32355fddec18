//===- AttentionRanges.h - random attention in size ranges ------*- C++ -*-===//

#ifndef HEDDLE_TESTS_E2E_ATTENTIONRANGES_H
#define HEDDLE_TESTS_E2E_ATTENTIONRANGES_H

#include "AttentionCases.h"
#include "CompiledRange.h"

/// Attention operations whose numbers of queries, of keys, or both lie in ranges. Each operation is compiled once and
/// verified at several sizes.
struct QuotedAttentionRanges : QuotedRanges {
  /// Verifies the case `chosen` at `points` combinations of sizes. Messages contain `number`, the index of the case.
  void checkCase(unsigned number, const AttentionCase &chosen, unsigned points = 5) {
    SCOPED_TRACE("case " + std::to_string(number) + ", '" + chosen.operation + "', inputs from seed " +
                 std::to_string(chosen.seed));
    std::unique_ptr<heddle::Session> session = compileRange(chosen.operation);
    ASSERT_TRUE(session);
    for (unsigned point = 0; point < points; ++point)
      checkAt(*session, sizesOf(point, chosen.seed),
              [&](mlir::func::FuncOp main) { return attentionInputs(main, chosen.seed + point); });
  }
};

#endif // HEDDLE_TESTS_E2E_ATTENTIONRANGES_H
