//===- vulkan_attention_test.cpp - code for a Vulkan device against the interpreter -===//
//
// Runs 200 random attentions; most with the shortest code, since the driver compiles each of them.
//
//===----------------------------------------------------------------------===//

#include "targets/OnDevice.h"

#include "e2e/AttentionCases.h"

using namespace heddle;

constexpr unsigned numCases = 200, numGroups = 10;

using Vulkan = OnVulkan<QuotedOperations>;

TEST_P(Vulkan, AgreesWithTheInterpreter) {
  auto cases = forDevices(attentionCases(numCases, 4));
  for (unsigned i = GetParam(); i < cases.size(); i += numGroups) {
    strategy = (i / numGroups) % 8 == 0 ? "" : "attention=attention-elements";
    SCOPED_TRACE("inputs from seed " + std::to_string(cases[i].seed));
    check(cases[i].operation, [&](mlir::func::FuncOp main) { return attentionInputs(main, cases[i].seed); });
  }
}
INSTANTIATE_TEST_SUITE_P(Random, Vulkan, testing::Range(0u, numGroups));
