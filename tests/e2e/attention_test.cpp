//===- attention_test.cpp - compiled attention against the interpreter ----===//
//
// Compiles 200 random quoted attentions for this machine, and special forms that lowerings treat separately.
//
//===----------------------------------------------------------------------===//

#include "AttentionCases.h"
#include "Compiled.h"
#include "Operations.h"

constexpr unsigned numCases = 200, numGroups = 8;

using Attention = QuotedOperations;

TEST_P(Attention, AgreesWithTheInterpreter) {
  auto cases = attentionCases(numCases, 1);
  ASSERT_EQ(cases.size(), numCases);
  for (unsigned i = GetParam(); i < numCases; i += numGroups) {
    SCOPED_TRACE("case " + std::to_string(i) + ", inputs from seed " + std::to_string(cases[i].seed));
    check(cases[i].operation, [&](mlir::func::FuncOp main) { return attentionInputs(main, cases[i].seed); });
  }
}
INSTANTIATE_TEST_SUITE_P(Random, Attention, testing::Range(0u, numGroups));

/// Forms that random sizes rarely have.
using AttentionForm = QuotedOperations;

TEST_P(AttentionForm, AgreesWithTheInterpreter) {
  check(operationsOf(in::Attentions)[GetParam()],
        [&](mlir::func::FuncOp main) { return attentionInputs(main, GetParam()); });
}
INSTANTIATE_OPERATIONS(AttentionForm, Attentions);
