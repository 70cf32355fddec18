//===- shrink_test.cpp - reduction of failing cases -----------------------===//
//
// The reduction of a failing case must remove everything that the failure does
// not need, and end after a limited number of tries. Here a case "fails" if its
// text has a given property, so nothing is compiled.
//
//===----------------------------------------------------------------------===//

#include "RandomGraph.h"
#include "Shrink.h"

#include "llvm/ADT/StringRef.h"
#include "gtest/gtest.h"

namespace {

/// Returns the reduced form of a case that fails if its text contains all of `parts`.
RandomCase minWith(const RandomCase &chosen, std::vector<llvm::StringRef> parts) {
  return shrink(
      chosen,
      [&](const RandomCase &smaller) {
        return llvm::all_of(parts, [&](llvm::StringRef part) { return llvm::StringRef(smaller.text).contains(part); });
      },
      10000);
}

TEST(Shrink, RemovesOptionsAndWords) {
  RandomCase chosen{1, "linear", "linear m=1..40 n=17 k=33 bias=1 activation=gelu", {"--seed", "7", "--adversarial"}};
  RandomCase minimum = minWith(chosen, {"linear", "m=", "bias=1"});
  EXPECT_EQ(minimum.text, "linear m=1 bias=1");
  EXPECT_TRUE(minimum.options.empty());
  auto isWide = [](const RandomCase &smaller) {
    auto [before, n] = llvm::StringRef(smaller.text).split("n=");
    int64_t number = 0;
    return !n.split(' ').first.getAsInteger(10, number) && number >= 12 && smaller.options.size() >= 2;
  };
  minimum = shrink(chosen, isWide, 1000);
  EXPECT_EQ(minimum.text, "linear n=12");
  EXPECT_EQ(minimum.options, (std::vector<std::string>{"--seed", "7"}));
}

TEST(Shrink, LimitsTheNumberOfTries) {
  RandomCase chosen{1, "graph", randomGraph(3), {}};
  unsigned tried = 0;
  shrink(chosen, [&](const RandomCase &) { return ++tried, false; }, 5);
  EXPECT_EQ(tried, 5u);
}

TEST(Shrink, ReducesGraphsToOneOperation) {
  unsigned met = 0; // the number of pairs of a graph and an operation on which a result depends
  for (uint64_t seed = 0; seed < 12; ++seed)
    for (const char *part : {"linalg.softmax", "linalg.matmul", "linalg.reduce", "math.tanh", "linalg.transpose"}) {
      RandomCase chosen{seed, "graph", randomGraph(seed), {}};
      auto has = [&](const std::string &text) { return llvm::StringRef(text).contains(part); };
      if (llvm::none_of(smallerModules(chosen.text), has)) // no result depends on the operation
        continue;
      ++met;
      std::string minimum = minWith(chosen, {part}).text;
      // The operation, its operands, and sizes of 1 remain.
      EXPECT_LE(llvm::StringRef(minimum).count("    %"), 2u) << minimum;
      EXPECT_TRUE(llvm::StringRef(minimum).contains("1xf32")) << minimum;
    }
  EXPECT_GT(met, 10u);
}

TEST(Shrink, RemovesKnobsOfTheDialect) {
  const char *text = R"mlir(
    func.func @main(%q: tensor<2x4x9x16xf16>, %k: tensor<2x4x9x16xf16>, %b: tensor<9x9xf16>, %m: tensor<9xi1>)
        -> (tensor<2x4x9x16xf16>, tensor<2x4x9x9xf16>) {
      %0:2 = heddle.attention %q, %k, %k bias(%b) mask(%m) causal(lower_right) scale(0.25) softcap(2.0) with_weights
        : (tensor<2x4x9x16xf16>, tensor<2x4x9x16xf16>, tensor<2x4x9x16xf16>, tensor<9x9xf16>, tensor<9xi1>)
        -> (tensor<2x4x9x16xf16>, tensor<2x4x9x9xf16>)
      return %0#0, %0#1 : tensor<2x4x9x16xf16>, tensor<2x4x9x9xf16>
    })mlir";
  std::string minimum = minWith({1, "", text, {}}, {"heddle.attention", "softcap"}).text;
  for (const char *gone : {"bias", "mask", "causal", "scale", "f16", "9"})
    EXPECT_FALSE(llvm::StringRef(minimum).contains(gone)) << gone << " in " << minimum;
  EXPECT_TRUE(llvm::StringRef(minimum).contains("tensor<1x1x1x1xf32>")) << minimum;
}

} // namespace
