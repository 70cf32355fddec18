//===- attention_test.cpp - compiled attention against the interpreter ----===//
//
// Compiles random quoted attention operations with every pair of knobs for this machine, and attention operations with
// shapes for which lowerings have code of their own. Results are compared with the interpreter.
//
//===----------------------------------------------------------------------===//

#include "AttentionCases.h"
#include "Compiled.h"
#include "Operations.h"

#include "../random/CaseCount.h"

constexpr unsigned numGroups = 8; // the number of tests into which the cases are divided, for ctest -j

using Attention = QuotedOperations;

TEST_P(Attention, AgreesWithTheInterpreter) {
  auto cases = attentionCases(caseCount(numKnobSets()), 1);
  ASSERT_EQ(cases.size(), caseCount(numKnobSets()));
  for (unsigned i = GetParam(); i < cases.size(); i += numGroups) {
    SCOPED_TRACE("case " + std::to_string(i) + ", inputs from seed " + std::to_string(cases[i].seed));
    check(cases[i].operation, [&](mlir::func::FuncOp main) { return attentionInputs(main, cases[i].seed); });
  }
}
INSTANTIATE_TEST_SUITE_P(Random, Attention, testing::Range(0u, numGroups));

/// Attention operations with shapes for which lowerings have code of their own, and which random cases rarely have.
using AttentionForm = QuotedOperations;

TEST_P(AttentionForm, AgreesWithTheInterpreter) {
  check(operationsOf(in::Attentions)[GetParam()],
        [&](mlir::func::FuncOp main) { return attentionInputs(main, GetParam()); });
}
INSTANTIATE_OPERATIONS(AttentionForm, Attentions);
