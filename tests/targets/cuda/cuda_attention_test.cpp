//===- cuda_attention_test.cpp - random attention as PTX ------------------===//
//
// Compiles 64 random attention operations to PTX and compares the results with those of the reference. The PTX
// interpreter runs the code and checks each access to memory. For a quarter of the operations, the code has one thread
// for each element of the result (attention-elements); the others have the default strategy.
//
//===----------------------------------------------------------------------===//

#include "targets/OnDevice.h"

#include "e2e/AttentionCases.h"
#include "random/CaseCount.h"

/// The cases are distributed over this number of tests, which can run in parallel.
constexpr unsigned numGroups = 4;

using CudaAttention = OnInterpreter<QuotedOperations>;

TEST_P(CudaAttention, AgreesWithTheInterpreter) {
  auto cases = forDevices(attentionCases(caseCount(64), 6));
  ASSERT_GE(cases.size(), numGroups);
  for (unsigned i = GetParam(); i < cases.size(); i += numGroups) {
    strategy = (i / numGroups) % 4 ? "" : "attention=attention-elements";
    SCOPED_TRACE("case " + std::to_string(i) + ", inputs from seed " + std::to_string(cases[i].seed));
    check(cases[i].operation, [&](mlir::func::FuncOp main) { return attentionInputs(main, cases[i].seed); });
  }
}
INSTANTIATE_TEST_SUITE_P(Random, CudaAttention, testing::Range(0u, numGroups));
