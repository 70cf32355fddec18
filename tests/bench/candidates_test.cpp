//===- candidates_test.cpp - candidates of a benchmark --------------------===//
//
// A candidate is a strategy with values of its knobs, or the default, that `heddle bench` times for an operation. The
// tests compare the lists of candidates, the reasons why strategies are not eligible, and the errors with expected
// ones.
//
//===----------------------------------------------------------------------===//

#include "bench/Candidates.h"
#include "bench/Sweep.h"
#include "heddle/Import.h"
#include "heddle/Registry.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace heddle;
using namespace heddle::bench;

using Strings = std::vector<std::string>;

TEST(Sweep, ListsMakeOneOperationEach) {
  EXPECT_EQ(expandSweep("softmax rows=3 d=4"), Strings({"softmax rows=3 d=4"}));
  EXPECT_EQ(expandSweep("attention s=128,512 d=64"), Strings({"attention s=128 d=64", "attention s=512 d=64"}));
  EXPECT_EQ(expandSweep("linear m=1,2 n=3,4"),
            Strings({"linear m=1 n=3", "linear m=1 n=4", "linear m=2 n=3", "linear m=2 n=4"}));
  EXPECT_EQ(expandSweep("attention s=8 window=4,0"), Strings({"attention s=8 window=4,0"}));
}

TEST(Choices, KnobsMayListValues) {
  std::string error;
  EXPECT_EQ(*expandChoice("a=x", error), Strings({"a=x"}));
  EXPECT_EQ(*expandChoice("a=x:k=1,2,j=3", error), Strings({"a=x:k=1,j=3", "a=x:k=2,j=3"}));
  EXPECT_EQ(*expandChoice("a=c:/x.mlir", error), Strings({"a=c:/x.mlir"}));
  EXPECT_TRUE(failed(expandChoice("a", error)));
  EXPECT_EQ(error, "expected OP=NAME or OP=FILE, optionally followed by :knob=value,...; found 'a'");
  EXPECT_TRUE(failed(expandChoice("a=x:k=one", error)));
  EXPECT_TRUE(failed(expandChoice("a=x:forgotten,k=1", error)));
  EXPECT_EQ(error, "expected knob=value with an integer as value; found 'forgotten' in 'a=x:forgotten,k=1'");
  EXPECT_TRUE(failed(expandChoice("a=x:k=1,2,k=3", error)));
  EXPECT_EQ(error, "knob `k` is given twice in 'a=x:k=1,k=3'");
}

class CandidatesTest : public ::testing::Test {
protected:
  CandidatesTest() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) { errors += diagnostic.str() + "\n"; });
    options.compile.target.cpu = "x86-64-v3";
  }
  FailureOr<Field> find(StringRef operation) {
    FailureOr<Model> model = importModel(context, operation);
    if (failed(model))
      return failure();
    return findCandidates(*model->module, options, wrongUsage);
  }
  static Strings names(const Field &field) {
    Strings names;
    for (const Candidate &candidate : field.candidates)
      names.push_back(candidate.name);
    return names;
  }
  /// Returns whether the strategy is listed as not eligible, with this reason.
  static bool isRefused(const Field &field, StringRef strategy, StringRef reason) {
    return llvm::any_of(field.others, [&](const Ineligible &other) {
      return StringRef(other.strategy) == strategy && StringRef(other.reason) == reason;
    });
  }

  MLIRContext context;
  FieldOptions options;
  std::string errors;
  bool wrongUsage = false;
};

TEST_F(CandidatesTest, EligibleStrategiesWithTheDefaultFirst) {
  FailureOr<Field> field = find("attention hq=2 s=64 d=16");
  ASSERT_TRUE(succeeded(field));
  EXPECT_EQ(field->rootOp, "attention");
  ASSERT_FALSE(field->candidates.empty());
  EXPECT_TRUE(field->candidates[0].isDefault);
  EXPECT_EQ(field->kernels.size(), 1u);
  EXPECT_EQ(field->kernels[0].strategy, field->candidates[0].name);
  EXPECT_TRUE(isRefused(*field, "attention-rows", "supports at most 8 queries, found 64"));
}

TEST_F(CandidatesTest, VectorsWiderThanTheCpusAreIneligible) {
  options.strategies = {"attention=attention-online:vector_bits=512"};
  options.tune = true;
  FailureOr<Field> field = find("attention hq=2 s=64 d=16");
  ASSERT_TRUE(succeeded(field));
  EXPECT_TRUE(isRefused(*field, "attention-online:vector_bits=512",
                        "knob `vector_bits` is at most 256 on this CPU, found 512"));
  EXPECT_FALSE(llvm::is_contained(names(*field), "attention-online:vector_bits=512"));
  EXPECT_TRUE(llvm::is_contained(names(*field), "attention-online:vector_bits=128"));
}

TEST_F(CandidatesTest, ChoicesOfTheUserComeLast) {
  options.strategies = {"linear=linear-packed:panel=16,32"};
  FailureOr<Field> field = find("linear m=8 n=16 k=16");
  ASSERT_TRUE(succeeded(field));
  Strings found = names(*field);
  EXPECT_EQ(found[found.size() - 2], "linear-packed:panel=16");
  EXPECT_EQ(found.back(), "linear-packed:panel=32");
}

TEST_F(CandidatesTest, AChoiceForAnOperationThatTheModelLacksIsWrongUsage) {
  options.strategies = {"softmax=softmax-rows"};
  FailureOr<Field> field = find("linear m=8 n=16 k=16");
  EXPECT_TRUE(failed(field));
  EXPECT_TRUE(wrongUsage);
  EXPECT_NE(errors.find("the model has no softmax; it has linear"), std::string::npos);
}

TEST_F(CandidatesTest, TuningCanBeLimitedToOneOperation) {
  options.tune = true;
  options.tunedOps = {"softmax"};
  EXPECT_TRUE(failed(find("linear m=8 n=16 k=16")));
  EXPECT_TRUE(wrongUsage);
  EXPECT_NE(errors.find("--tune=softmax: the model has no softmax; it has linear"), std::string::npos);
  options.tunedOps = {"linear"};
  FailureOr<Field> field = find("linear m=8 n=16 k=16");
  ASSERT_TRUE(succeeded(field));
  EXPECT_TRUE(llvm::is_contained(names(*field), "linear-packed:panel=32"));
}

// countAt() must count the same work at a size of a range as for a model with this fixed size.
TEST_F(CandidatesTest, WorkIsCountedAtSizesOfARange) {
  for (auto [range, fixed] : {std::pair("linear m=1..99 n=16 k=24 bias=true", "linear m=7 n=16 k=24 bias=true"),
                              std::pair("layer_norm rows=2..99 d=48", "layer_norm rows=7 d=48"),
                              std::pair("ffn m=3..99 k=8 hidden=16", "ffn m=7 k=8 hidden=16")}) {
    FailureOr<Field> all = find(range), one = find(fixed);
    ASSERT_TRUE(succeeded(all) && succeeded(one)) << errors;
    EXPECT_NE(all->work.flops, one->work.flops);
    all->countAt({7});
    EXPECT_EQ(all->work.flops, one->work.flops);
    EXPECT_EQ(all->work.products, one->work.products);
    EXPECT_EQ(all->work.bytesRead, one->work.bytesRead);
    EXPECT_EQ(all->work.bytesWritten, one->work.bytesWritten);
    ASSERT_EQ(all->kernels.size(), one->kernels.size());
    EXPECT_EQ(all->kernels[0].shape, one->kernels[0].shape);
    EXPECT_EQ(all->kernels[0].work.flops, one->kernels[0].work.flops);
    EXPECT_EQ(all->kernels[0].strategy, one->kernels[0].strategy);
  }
}
