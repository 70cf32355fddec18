//===- attention_test.cpp - compiled attention against the interpreter ----===//
//
// 200 random quoted attentions, compiled for this machine, and those that lowerings treat apart.
//
//===----------------------------------------------------------------------===//

#include "AttentionCases.h"
#include "Compiled.h"

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

/// Sizes that random ones hardly meet: blocks on the diagonal, few queries of grouped heads.
constexpr const char *forms[] = {
    "attention hq=2 s=192 d=16 causal=upper_left",
    "attention hq=2 s=150 d=7 dv=9 causal=lower_right",
    "attention hq=2 sq=64 skv=256 d=8 causal=lower_right softmax_precision=f64",
    "attention hq=1 sq=128 skv=130 d=16 causal=upper_left empty_row=nan",
    "attention hq=6 hkv=2 sq=1 skv=1100 d=20",
    "attention b=2 hq=8 hkv=2 sq=2 skv=600 d=33 causal=lower_right key_lengths=1 window=90,0",
    "attention hq=4 hkv=1 sq=3 skv=70 d=5 mask=qk softcap=5 weights=1",
    "attention hq=4 hkv=2 sq=4 skv=40 d=12 dv=3 bias=hqk softmax_precision=f64",
    "attention b=2 hq=8 sq=13 skv=12 d=2 dv=5 layout=bshd",
    "attention hq=7 sq=26 skv=9 d=3 dv=8 layout=bshd empty_row=nan",
    "attention b=3 hq=16 sq=9 skv=1 d=1 dv=4 layout=bshd scale=-30",
    "attention hq=2 sq=144 skv=128 d=8 dv=1 layout=bshd",
};

using AttentionForm = QuotedOperations;

TEST_P(AttentionForm, AgreesWithTheInterpreter) {
  check(forms[GetParam()], [&](mlir::func::FuncOp main) { return attentionInputs(main, GetParam()); });
}
INSTANTIATE_TEST_SUITE_P(Chosen, AttentionForm, testing::Range(0u, unsigned(std::size(forms))));
