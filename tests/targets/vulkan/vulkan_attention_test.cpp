//===- vulkan_attention_test.cpp - random attention on a device -----------===//
//
// Runs 60 random attention operations and compares their results with those of the interpreter. Most of the operations
// use the strategy with the shortest code, because the driver has to compile each kernel.
//
//===----------------------------------------------------------------------===//

#include "targets/OnDevice.h"

#include "e2e/AttentionCases.h"
#include "random/CaseCount.h"

using namespace heddle;

/// The cases are distributed over this number of tests, which can run in parallel.
constexpr unsigned numGroups = 10;

using Vulkan = OnVulkan<QuotedOperations>;

TEST_P(Vulkan, AgreesWithTheInterpreter) {
  auto cases = forDevices(attentionCases(caseCount(60), 4));
  for (unsigned i = GetParam(); i < cases.size(); i += numGroups) {
    strategy = (i / numGroups) % 8 == 0 ? "" : "attention=attention-elements";
    SCOPED_TRACE("inputs from seed " + std::to_string(cases[i].seed));
    check(cases[i].operation, [&](mlir::func::FuncOp main) { return attentionInputs(main, cases[i].seed); });
  }
}
INSTANTIATE_TEST_SUITE_P(Random, Vulkan, testing::Range(0u, numGroups));
