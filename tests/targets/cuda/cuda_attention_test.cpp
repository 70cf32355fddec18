//===- cuda_attention_test.cpp - random attention as PTX ------------------===//
//
// Compiles random attention operations to PTX and compares the results with those of the reference. The PTX interpreter
// runs the code and checks each access to memory. A quarter of the operations have the strategy attention-elements; the
// others have the default strategy. Random operations for which attention-tiles, attention-matrix-tiles,
// attention-parts or attention-matrix-parts is eligible are also compiled with this strategy, with random values of its
// knobs.
//
//===----------------------------------------------------------------------===//

#include "targets/OnDevice.h"

#include "e2e/AttentionCases.h"
#include "random/CaseCount.h"
#include "random/Random.h"

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

namespace {
/// Removes the cases that have one of these knobs.
void eraseWith(llvm::ArrayRef<const char *> knobs, std::vector<AttentionCase> &cases) {
  llvm::erase_if(cases, [&](const AttentionCase &one) {
    return llvm::any_of(knobs, [&](const char *knob) {
      return llvm::StringRef(one.operation).contains(std::string(" ") + knob);
    });
  });
}

/// Returns the cases for which attention-tiles is eligible or, if `round` is true, attention-matrix-tiles.
std::vector<AttentionCase> forTiles(std::vector<AttentionCase> cases, bool round) {
  eraseWith({"softmax_precision=", "weights=", "probability="}, cases);
  llvm::erase_if(
      cases, [&](const AttentionCase &one) { return llvm::StringRef(one.operation).contains(" rounding=") != round; });
  return cases;
}

/// Returns the cases for which attention-parts or attention-matrix-parts is eligible.
std::vector<AttentionCase> forParts(std::vector<AttentionCase> cases) {
  eraseWith({"softmax_precision=", "weights=", "probability=", "sq=17", "sq=39", "sq=64", "sq=135"}, cases);
  return cases;
}

/// Returns random values of some of the strategy's knobs, with the colon before them.
std::string randomKnobs(uint64_t seed) {
  Random random(seed);
  std::string text;
  for (const char *knob : {"block_q=64", "block_k=64", "warps=2", "min_blocks=32"})
    if (random.oneIn(4))
      text += (text.empty() ? ":" : ",") + std::string(knob);
  return text + (text.empty() ? ":" : ",") + "stages=" + std::to_string(random.pick({1, 2, 2, 3}));
}
} // namespace

struct CudaAttentionTiles : CudaAttention {};

TEST_P(CudaAttentionTiles, AgreesWithTheInterpreter) {
  auto cases = forTiles(attentionCases(caseCount(270), 7), /*round=*/false);
  ASSERT_GE(cases.size(), 100u);
  for (unsigned i = GetParam(); i < cases.size(); i += numGroups) {
    strategy = "attention=attention-tiles" + randomKnobs(cases[i].seed);
    SCOPED_TRACE("case " + std::to_string(i) + " with " + strategy + ", inputs from seed " +
                 std::to_string(cases[i].seed));
    check(cases[i].operation, [&](mlir::func::FuncOp main) { return attentionInputs(main, cases[i].seed); });
  }
}

TEST_P(CudaAttentionTiles, RoundsLikeTheInterpreter) {
  auto cases = forTiles(attentionCases(caseCount(300), 8), /*round=*/true);
  ASSERT_GE(cases.size(), 20u);
  for (unsigned i = GetParam(); i < cases.size(); i += numGroups) {
    strategy = "attention=attention-matrix-tiles" + randomKnobs(cases[i].seed);
    SCOPED_TRACE("case " + std::to_string(i) + " with " + strategy + ", inputs from seed " +
                 std::to_string(cases[i].seed));
    check(cases[i].operation, [&](mlir::func::FuncOp main) { return attentionInputs(main, cases[i].seed); });
  }
}
INSTANTIATE_TEST_SUITE_P(Random, CudaAttentionTiles, testing::Range(0u, numGroups));

struct CudaAttentionParts : CudaAttention {};

/// By default, the keys are divided into many parts. With a small min_blocks, parts are larger, or one has all keys.
TEST_P(CudaAttentionParts, AgreesWithTheInterpreter) {
  auto cases = forParts(attentionCases(caseCount(150), 8));
  ASSERT_GE(cases.size(), 30u);
  for (unsigned i = GetParam(); i < cases.size(); i += numGroups) {
    Random random(cases[i].seed);
    bool rounds = llvm::StringRef(cases[i].operation).contains(" rounding=");
    strategy = rounds ? "attention=attention-matrix-parts" : "attention=attention-parts";
    strategy += random.pick<const char *>({"", "", ":min_blocks=1", ":min_blocks=66,stages=1", ":block_k=64,stages=3"});
    SCOPED_TRACE("case " + std::to_string(i) + " with " + strategy + ", inputs from seed " +
                 std::to_string(cases[i].seed));
    check(cases[i].operation, [&](mlir::func::FuncOp main) { return attentionInputs(main, cases[i].seed); });
  }
}
INSTANTIATE_TEST_SUITE_P(Random, CudaAttentionParts, testing::Range(0u, numGroups));
