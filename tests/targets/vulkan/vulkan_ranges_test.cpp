//===- vulkan_ranges_test.cpp - one library, many sizes -------------------===//
//
// Compiles each operation of a list once, with 1 to 200 rows, and verifies the code at 13 numbers of rows: less than,
// equal to and more than a block of rows or the threads of a workgroup, and primes. Random attention operations, whose
// numbers of queries or keys lie in ranges, are also verified, at several sizes.
//
//===----------------------------------------------------------------------===//

#include "targets/OnDevice.h"

#include "e2e/AttentionRanges.h"
#include "random/CaseCount.h"

using namespace heddle;

using VulkanRanges = OnVulkan<QuotedRanges>;

static const size_t rows[] = {1, 2, 3, 7, 16, 17, 31, 37, 64, 97, 128, 129, 200};

static const char *const operations[] = {
    "linear m=1..200 n=64 k=39",
    "linear m=1..200 n=20 k=15 bias=1 residual=1 activation=gelu weights=constant",
    "layer_norm rows=1..200 d=384 residual=1",
    "rms_norm rows=1..200 d=17",
    "softmax rows=1..200 d=77",
    "softmax rows=1..200 d=5 axis=0",
    "ffn m=1..200 k=36 h=132 bias=1 residual=1 weights=constant",
    "rotary_embedding h=2 s=1..200 d=16",
    "linear_attention h=2 s=1..200 d=8 normalized=1",
    "attention hq=2 s=1..200 d=8 causal=lower_right",
};

TEST_P(VulkanRanges, RowsOfAnyNumber) {
  SCOPED_TRACE(operations[GetParam()]);
  std::unique_ptr<Session> session = compileRange(operations[GetParam()]);
  ASSERT_TRUE(session);
  for (size_t count : rows)
    checkAt(*session, {count});
}
INSTANTIATE_TEST_SUITE_P(Operations, VulkanRanges, testing::Range(0u, unsigned(std::size(operations))));

using VulkanAttentionRanges = OnVulkan<QuotedAttentionRanges>;

/// Only every `step`-th case is tested. The cases are distributed over `numRangeGroups` tests.
constexpr unsigned step = 10, numRangeGroups = 5;

TEST_P(VulkanAttentionRanges, AgreeWithTheInterpreter) {
  auto cases = forDevices(attentionRangeCases(caseCount(200), 5));
  for (unsigned i = step * GetParam(); i < cases.size(); i += step * numRangeGroups)
    checkCase(i, cases[i]);
}
INSTANTIATE_TEST_SUITE_P(Random, VulkanAttentionRanges, testing::Range(0u, numRangeGroups));
