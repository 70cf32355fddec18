//===- cuda_ranges_test.cpp - one PTX text, three sizes -------------------===//
//
// Compiles operations whose sizes lie in ranges with every GPU strategy, and verifies the code of each at the smallest
// sizes, at the largest sizes, and at sizes between them. Random attention operations are verified in the same way.
//
//===----------------------------------------------------------------------===//

#include "targets/OnDevice.h"

#include "e2e/AttentionRanges.h"
#include "random/CaseCount.h"

#include "heddle/Strategy.h"

using namespace heddle;

using CudaRanges = OnInterpreter<QuotedRanges>;

constexpr unsigned numPoints = 3; // the number of combinations of sizes at which each case is verified

namespace {
/// A value of --strategy, OPERATION=STRATEGY, and the knobs of a quoted OPERATION.
struct Case {
  const char *strategy, *operation;
};
} // namespace

static constexpr Case cases[] = {
    {"append=append-elements", "b=1..3 h=2 s=1..5 c=16 d=8"},
    {"attention=attention-blocks", "hq=4 hkv=2 s=1..80 d=16 causal=lower_right"},
    {"attention=attention-elements", "hq=2 sq=1..20 skv=1..40 d=7 mask=qk"},
    {"attention=attention-row-blocks", "hq=4 hkv=2 sq=1 skv=1..200 d=16"},
    {"attention=attention-tiles", "b=1..3 hq=4 hkv=2 s=1..80 d=16 causal=lower_right key_lengths=1"},
    {"attention=attention-parts", "b=1..2 hq=4 hkv=2 sq=1..3 skv=1..200 d=16 causal=lower_right mask=b1qk"},
    {"attention=attention-matrix-parts", "b=1..2 hq=4 hkv=2 sq=2 skv=1..200 d=16 rounding=bf16"},
    {"attention=attention-matrix-parts", "hq=2 sq=1..3 skv=1..90 d=16 type=f16"},
    {"attention=attention-matrix-tiles", "hq=4 hkv=2 s=1..80 d=16 causal=lower_right rounding=bf16"},
    {"attention=attention-matrix-tiles", "hq=2 s=1..80 d=16 rounding=f16"},
    {"attention=attention-tiles", "h=2 sq=1..90 skv=1..70 d=20 mask=b11k bias=hqk"},
    {"ffn=ffn-tiles", "m=1..80 k=36 h=70 bias=1 residual=1 gated=1 activation=silu"},
    {"layer_norm=layer-norm-groups", "rows=1..80 d=100 residual=1"},
    {"layer_norm=layer-norm-row-tiles", "rows=1..80 d=100 residual=1"},
    {"layer_norm=layer-norm-row-tiles", "rows=1..80 d=100 residual=1 type=bf16"},
    {"ffn=ffn-tiles", "m=1..80 k=37 h=70 bias=1 residual=1 gated=1 activation=silu type=f64 weights=constant"},
    {"ffn=ffn-tiles", "m=1..80 k=40 h=72 bias=1 residual=1 gated=1 activation=silu type=bf16"},
    {"linear=linear-tiles", "m=1..300 n=70 k=39 bias=1 residual=1 activation=gelu"},
    {"linear=linear-tiles", "m=1..50 n=71 k=300 bias=1 residual=1 activation=gelu"},
    {"linear=linear-tiles", "m=1..300 n=71 k=39 bias=1 residual=1 activation=gelu type=f64"},
    {"linear=linear-tiles", "m=1..300 n=70 k=40 bias=1 residual=1 activation=gelu type=f16"},
    {"linear=linear-tiles", "m=1..300 n=72 k=39 bias=1 rounding=bf16 weights=constant"},
    {"linear_attention=linear-attention-blocks", "h=2 s=1..80 d=8 normalized=1"},
    {"recurrent_attention=recurrent-attention-elements", "hq=2 s=1..20 d=8 decay=row"},
    {"rms_norm=rms-norm-groups", "rows=1..80 d=17"},
    {"rms_norm=rms-norm-row-tiles", "rows=1..600 d=17"},
    {"rotary_embedding=rotary-embedding-elements", "h=2 s=1..80 d=16"},
    {"softmax=softmax-groups", "rows=1..80 d=77"},
    {"softmax=softmax-row-tiles", "rows=1..80 d=77"},
    {"softmax=softmax-row-tiles", "rows=1..80 d=77 type=f16"},
};
/// Strategies that are eligible for no quoted operation with sizes in ranges. interpreted.test covers them.
static constexpr const char *others[] = {"contraction-elements", "general-elements", "linear-few-rows"};

TEST_P(CudaRanges, ThreeSizes) {
  strategy = cases[GetParam()].strategy;
  std::string operation = llvm::StringRef(strategy).split('=').first.str() + " " + cases[GetParam()].operation;
  SCOPED_TRACE(operation);
  std::unique_ptr<Session> session = compileRange(operation);
  ASSERT_TRUE(session);
  for (unsigned point = 0; point < numPoints; ++point)
    checkAt(*session, sizesOf(point, 5));
}
INSTANTIATE_TEST_SUITE_P(Strategies, CudaRanges, testing::Range(0u, unsigned(std::size(cases))));

/// The last row of the layer may be any row of a block of products.
TEST_F(CudaRanges, EveryNumberOfRows) {
  for (const char *operation :
       {"linear m=1..40 n=23 k=39 bias=1", "linear m=1..40 n=23 k=200 bias=1 residual=1 activation=gelu",
        "linear m=1..40 n=23 k=39 residual=1 type=f64", "linear m=1..40 n=24 k=40 bias=1 type=bf16",
        "linear m=1..40 n=23 k=39 residual=1 type=f16", "linear m=1..40 n=24 k=40 rounding=bf16 weights=constant",
        "ffn m=1..40 k=20 h=33 gated=1 bias=1 activation=silu", "ffn m=1..40 k=24 h=40 bias=1 type=bf16",
        "ffn m=1..40 k=21 h=33 gated=1 type=f16"}) {
    SCOPED_TRACE(operation);
    std::unique_ptr<Session> session = compileRange(operation);
    ASSERT_TRUE(session);
    for (size_t rows = 1; rows <= 40; ++rows)
      checkAt(*session, {rows});
  }
}

TEST(CudaRangesTable, HasEveryStrategy) {
  for (const EmbeddedStrategy &strategy : embeddedStrategies())
    if (isForTarget(strategy.target, "cuda"))
      EXPECT_TRUE(llvm::is_contained(others, strategy.name) || llvm::any_of(cases, [&](const Case &one) {
                    return llvm::StringRef(one.strategy).split('=').second == strategy.name;
                  })) << strategy.name.str();
}

/// Verifies every number of rows in a small range, also numbers that do not fill a workgroup or a tile.
TEST_F(CudaRanges, EverySizeOfRows) {
  for (const char *operation : {"layer_norm rows=1..40 d=70 residual=1", "rms_norm rows=1..40 d=132",
                                "softmax rows=1..40 d=5", "layer_norm rows=1..40 d=33 residual=1 type=bf16",
                                "rms_norm rows=1..40 d=40 type=f16", "softmax rows=1..40 d=31 type=bf16"}) {
    SCOPED_TRACE(operation);
    std::unique_ptr<Session> session = compileRange(operation);
    ASSERT_TRUE(session);
    for (size_t rows = 1; rows <= 40; ++rows)
      checkAt(*session, {rows});
  }
}

/// The length of a row lies in a range, too: a lane has as many elements as the longest row needs.
TEST_F(CudaRanges, EveryLengthOfRows) {
  strategy = "softmax=softmax-row-tiles";
  ImportOptions options;
  options.ranges = {{"b", 1, 3}, {"s", 1, 70}};
  ImportResult imported = importModel(context, HEDDLE_TEST_DATA "/Inputs/softmax-lengths.mlir", options);
  ASSERT_TRUE(succeeded(imported));
  keep(*imported);
  std::unique_ptr<Session> session = compileAndLoad(std::move(*imported));
  ASSERT_TRUE(session);
  for (size_t length = 1; length <= 70; ++length)
    checkAt(*session, {1 + length % 3, length});
}

using CudaAttentionRanges = OnInterpreter<QuotedAttentionRanges>;

/// Only every `step`-th case is tested. The cases are distributed over `numRangeGroups` tests.
constexpr unsigned step = 10, numRangeGroups = 2;

TEST_P(CudaAttentionRanges, AgreeWithTheInterpreter) {
  auto cases = forDevices(attentionRangeCases(caseCount(100), 7));
  for (unsigned i = step * GetParam(); i < cases.size(); i += step * numRangeGroups)
    checkCase(i, cases[i], numPoints);
}
INSTANTIATE_TEST_SUITE_P(Random, CudaAttentionRanges, testing::Range(0u, numRangeGroups));
