//===- attention_facts_test.cpp - facts of an attention, and its plan -----===//
//
// Checks the properties of heddle.attention that AttentionFacts reads from the
// op and its module.
//
//===----------------------------------------------------------------------===//

#include "attention/AttentionPlan.h"

#include "heddle/Registry.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace heddle;

namespace {

struct AttentionFactsTest : testing::Test {
  AttentionFactsTest() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  /// Returns the facts of attention with 7 queries of two heads and 9 keys of `keyHeads` heads, in two batch entries.
  /// `text` contains its attributes and regions and the operand `%x` of type `type`: a mask, a bias or a tensor that a
  /// region reads. `notes` contains the attributes of the module.
  AttentionFacts read(const std::string &text, const std::string &type = "", int64_t keyHeads = 2,
                      const std::string &notes = "");

  MLIRContext context;
};

} // namespace

AttentionFacts AttentionFactsTest::read(const std::string &text, const std::string &type, int64_t keyHeads,
                                        const std::string &notes) {
  std::string q = "tensor<2x2x7x4xf32>", k = "tensor<2x" + std::to_string(keyHeads) + "x9x4xf32>";
  std::string other = type.empty() ? "" : ", " + type;
  std::string module = "module attributes {" + notes + "} {\nfunc.func @f(%q: " + q + ", %k: " + k +
                       (type.empty() ? "" : ", %x: " + type) + ") -> " + q + " {\n  %0 = heddle.attention %q, %k, %k " +
                       text + " : (" + q + ", " + k + ", " + k + other + ") -> " + q + "\n  return %0 : " + q +
                       "\n}\n}";
  OwningOpRef<ModuleOp> parsed = parseSourceString<ModuleOp>(module, &context);
  AttentionFacts facts;
  EXPECT_TRUE(parsed) << module;
  if (parsed)
    parsed->walk([&](AttentionOp op) { facts = AttentionFacts::of(op); });
  return facts;
}

TEST_F(AttentionFactsTest, AreThoseOfTheOp) {
  AttentionFacts facts = read("");
  EXPECT_EQ(facts.queries.number(), 7);
  EXPECT_EQ(facts.keys.number(), 9);
  EXPECT_EQ(facts.heads, 2);
  EXPECT_EQ(facts.valueSize, 4);
  EXPECT_FALSE(facts.hasOrder() || facts.hasKeyLengths || facts.changesScores || facts.transposes ||
               facts.storesWeights || facts.readsState || facts.masksKeys);
  EXPECT_TRUE(read("causal(lower_right)").hasOrder());
  EXPECT_TRUE(read("window(3, *)").hasOrder());
  EXPECT_TRUE(read("key_lengths(%x)", "tensor<2xi64>").hasKeyLengths);
  EXPECT_TRUE(read("softcap(5.0)").changesScores);
  EXPECT_TRUE(read("bias(%x)", "tensor<7x9xf32>").transposes);
  EXPECT_FALSE(read("bias(%x)", "tensor<2x2x7x1xf32>").transposes);
  EXPECT_TRUE(read("mask(%x)", "tensor<7x9xi1>").transposes);
  EXPECT_FALSE(read("mask(%x)", "tensor<2x2x1x9xi1>").transposes);
  AttentionFacts grouped = read("", "", /*keyHeads=*/1);
  EXPECT_EQ(grouped.heads, 2);
  EXPECT_EQ(grouped.keyHeads, 1);
}

// A window without limits removes no key, as for KeyRange.
TEST_F(AttentionFactsTest, WindowsThatRemoveKeys) {
  EXPECT_FALSE(read("window(*, *)").hasOrder());
  EXPECT_TRUE(read("window(*, 3)").hasOrder());
  EXPECT_TRUE(read("window(0, *)").hasOrder());
}

TEST_F(AttentionFactsTest, Regions) {
  auto region = [](const std::string &name, const std::string &reads) {
    return name + " {\n^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index" + reads +
           "):\n  heddle.yield %s : f32\n}";
  };
  AttentionFacts facts = read(region("score", ""));
  EXPECT_TRUE(facts.changesScores);
  EXPECT_FALSE(facts.storesWeights || facts.transposes);
  facts = read(region("probability", ""));
  EXPECT_TRUE(facts.storesWeights);
  EXPECT_FALSE(facts.changesScores || facts.transposes);
  EXPECT_TRUE(read("reads(%x) " + region("score", ", %y: f32"), "tensor<7x9xf32>").transposes);
  EXPECT_FALSE(read("reads(%x) " + region("score", ", %y: f32"), "tensor<2x1x9xf32>").transposes);
}

// Keys are a state if their number is the capacity of the states.
TEST_F(AttentionFactsTest, KeysOfAState) {
  EXPECT_TRUE(read("", "", 2, "heddle.state_sizes = array<i64: 2, 9, 1>").readsState);
  EXPECT_FALSE(read("", "", 2, "heddle.state_sizes = array<i64: 2, 8, 1>").readsState);
}

// Keys at both ends are skipped only if the mask is the same for all heads and queries and certainly removes keys.
TEST_F(AttentionFactsTest, MasksThatRemoveKeys) {
  std::string perEntry = "tensor<2x1x1x9xi1>", lowest = " masked_score(-3.40282347E+38)";
  EXPECT_TRUE(read("mask(%x)", perEntry).masksKeys);
  EXPECT_TRUE(read("mask(%x)", "tensor<1x1x1x9xi1>").masksKeys);
  EXPECT_TRUE(read("mask(%x) causal(lower_right)", perEntry).masksKeys);
  EXPECT_FALSE(read("mask(%x)", "tensor<2x1x7x9xi1>").masksKeys);
  EXPECT_FALSE(read("mask(%x)", "tensor<2x2x1x9xi1>").masksKeys);
  EXPECT_FALSE(read("mask(%x)", "tensor<9xi1>").masksKeys);
  EXPECT_TRUE(read("mask(%x)" + lowest, perEntry).masksKeys);
  EXPECT_FALSE(read("mask(%x) masked_score(-1.0E+4)", perEntry).masksKeys);
  EXPECT_FALSE(read("mask(%x) causal(lower_right)" + lowest, perEntry).masksKeys);
}
