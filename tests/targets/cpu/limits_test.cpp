//===- limits_test.cpp - numbers of CPUs as defaults of knobs -------------===//

#include "heddle/Target.h"
#include "heddle/Registry.h"
#include "heddle/Strategy.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace heddle;

namespace {

struct LimitsTest : testing::Test {
  LimitsTest() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  std::map<std::string, int64_t> limits(const char *cpu) {
    TargetOptions options;
    options.cpu = cpu;
    auto target = createTarget(UnknownLoc::get(&context), options);
    EXPECT_TRUE(succeeded(target));
    return (*target)->getFacts().limits;
  }

  MLIRContext context;
};

TEST_F(LimitsTest, DependOnTheCpu) {
  EXPECT_GT(limits("znver4")["prefetch_rows"], limits("znver5")["prefetch_rows"]);
  EXPECT_EQ(limits("znver5")["prefetch_cache"], 1);
  EXPECT_EQ(limits("emeraldrapids")["prefetch_cache"], 2);
  EXPECT_GT(limits("x86-64-v4")["prefetch_rows"], limits("x86-64-v3")["prefetch_rows"]);
  EXPECT_EQ(limits("x86-64-v4"), limits("skylake-avx512"));
}

TEST_F(LimitsTest, AreOptionsOfTheKnobsCalledLikeThem) {
  auto strategies = listStrategies(context);
  ASSERT_TRUE(succeeded(strategies));
  unsigned found = 0;
  for (const char *cpu : {"znver4", "znver5", "emeraldrapids", "sapphirerapids", "x86-64-v3", "x86-64-v4"})
    for (auto &[name, value] : limits(cpu))
      for (const Strategy &strategy : *strategies)
        for (const Knob &knob : strategy.knobs)
          if (knob.name == name) {
            EXPECT_TRUE(llvm::is_contained(knob.options, value)) << cpu << ": " << strategy.name << ", " << name;
            ++found;
          }
  EXPECT_GT(found, 0u);
}

TEST_F(LimitsTest, SetDefaults) {
  auto strategies = listStrategies(context, "linear");
  ASSERT_TRUE(succeeded(strategies));
  TargetFacts facts;
  facts.limits = {{"prefetch_rows", 4}, {"panel", 60}, {"unknown", 1}};
  Strategy &strategy = strategies->front();
  setDefaults(strategy, facts);
  for (const Knob &knob : strategy.knobs) {
    if (knob.name == "prefetch_rows")
      EXPECT_EQ(knob.selected, 4);
    if (knob.name == "panel") // 64 is next to it
      EXPECT_EQ(knob.selected, 64);
  }
}

} // namespace
