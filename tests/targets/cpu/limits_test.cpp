//===- limits_test.cpp - target facts as defaults of knobs ----------------===//
//
// Target facts are numbers about a CPU, such as the width of its vectors. A fact
// with the name of a strategy's knob is the default of this knob. The expected
// numbers are those of CpuLimits.cpp, X86.cpp and AArch64.cpp in
// compiler/targets/cpu.
//
//===----------------------------------------------------------------------===//

#include "heddle/Target.h"
#include "heddle/Registry.h"
#include "heddle/Strategy.h"
#include "heddle/device.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
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

  /// Returns the facts for a CPU, or for a library with code for several CPUs ("x86-64-v4,x86-64-v3").
  std::map<std::string, int64_t> limits(const char *cpu, const char *triple = "x86_64-linux-gnu",
                                        const char *attributes = "") {
    TargetOptions options;
    options.cpu = cpu;
    options.triple = triple;
    options.attributes = attributes;
    auto targets = createTargets(UnknownLoc::get(&context), options);
    EXPECT_TRUE(succeeded(targets));
    return targets->front()->getFacts().limits;
  }

  MLIRContext context;
};

TEST_F(LimitsTest, DependOnTheCpu) {
  EXPECT_GT(limits("znver4")["prefetch_rows"], limits("znver5")["prefetch_rows"]);
  EXPECT_EQ(limits("znver5")["prefetch_cache"], 1);
  EXPECT_EQ(limits("emeraldrapids")["prefetch_cache"], 2);
  EXPECT_EQ(limits("znver4")["past_cache"], 2);
  EXPECT_EQ(limits("znver5")["past_cache"], 1);
  EXPECT_GT(limits("x86-64-v4")["prefetch_rows"], limits("x86-64-v3")["prefetch_rows"]);
  EXPECT_EQ(limits("x86-64-v4"), limits("skylake-avx512"));
}

TEST_F(LimitsTest, AreOptionsOfTheKnobsWithTheirNames) {
  auto strategies = listStrategies(context);
  ASSERT_TRUE(succeeded(strategies));
  unsigned found = 0;
  for (const char *cpu : {"znver4", "znver5", "emeraldrapids", "sapphirerapids", "x86-64-v3", "x86-64-v4"})
    for (auto &[name, value] : limits(cpu))
      for (const Strategy &strategy : *strategies)
        for (const Knob &knob : strategy.knobs)
          if (strategy.target == "cpu" && knob.name == name) {
            EXPECT_TRUE(llvm::is_contained(knob.options, value)) << cpu << ": " << strategy.name << ", " << name;
            ++found;
          }
  EXPECT_GT(found, 0u);
}

TEST_F(LimitsTest, DescribeTheVectors) {
  EXPECT_EQ(limits("znver5")["vector_bits"], 512);
  EXPECT_EQ(limits("znver5")["vector_registers"], 32);
  EXPECT_EQ(limits("x86-64-v3")["vector_bits"], 256);
  EXPECT_EQ(limits("x86-64-v3")["vector_registers"], 16);
  EXPECT_EQ(limits("x86-64")["vector_bits"], 128);
  EXPECT_EQ(limits("x86-64")["vector_registers"], 16);
  EXPECT_EQ(limits("neoverse-n1", "aarch64-linux-gnu")["vector_bits"], 128);
  EXPECT_EQ(limits("neoverse-n1", "aarch64-linux-gnu")["vector_registers"], 32);
  EXPECT_EQ(limits("znver5")["l2_kib"], 1024);
  EXPECT_EQ(limits("znver5")["panel_kib"], 640);
}

TEST_F(LimitsTest, DescribeTheSignsInProductsOfBytes) {
  for (const char *cpu : {"x86-64", "x86-64-v3", "znver4"})
    EXPECT_EQ(limits(cpu)["unsigned_dots"], 1) << cpu;
  auto arm = [&](const char *cpu) { return limits(cpu, "aarch64-linux-gnu")["unsigned_dots"]; };
  EXPECT_EQ(arm("neoverse-n1"), 0); // this CPU has sdot
  EXPECT_EQ(arm("neoverse-n2"), 1); // this CPU also has usdot
  EXPECT_EQ(arm("cortex-a72"), 1);  // this CPU has neither sdot nor usdot
}

TEST_F(LimitsTest, DescribeTheWidthOfRowsInProductsWithBytes) {
  for (const char *cpu : {"x86-64", "x86-64-v3", "x86-64-v4"})
    EXPECT_EQ(limits(cpu)["dot_bits"], 16) << cpu;
  for (const char *cpu : {"znver4", "alderlake", "icelake-client", "sapphirerapids"})
    EXPECT_EQ(limits(cpu)["dot_bits"], 8) << cpu;
  // Matrix instructions multiply bytes, and vector instructions read the same weight.
  EXPECT_EQ(limits("x86-64-v3", "x86_64-linux-gnu", "+amx-int8")["dot_bits"], 8);
  EXPECT_EQ(limits("cortex-a72", "aarch64-linux-gnu")["dot_bits"], 8);
  // In a library for several CPUs, all variants read the same weights, so the width is 8 for all if it is 8 for one.
  auto bits = [&](const char *cpus) { return limits(cpus)["dot_bits"]; };
  EXPECT_EQ(bits("x86-64-v4,x86-64-v3"), 16);
  EXPECT_EQ(bits("x86-64-v3,znver4"), 8);
}

TEST_F(LimitsTest, DescribeProductsOfBFloatPairs) {
  for (const char *cpu : {"znver4", "sapphirerapids"})
    EXPECT_EQ(limits(cpu)["bf16_dots"], 1) << cpu;
  for (const char *cpu : {"x86-64-v4", "alderlake", "icelake-server"})
    EXPECT_EQ(limits(cpu)["bf16_dots"], 0) << cpu;
  EXPECT_EQ(limits("neoverse-n2", "aarch64-linux-gnu")["bf16_dots"], 1);
  EXPECT_EQ(limits("neoverse-n1", "aarch64-linux-gnu")["bf16_dots"], 0);
}

TEST_F(LimitsTest, NameTheMatrixInstructions) {
  auto matrices = [&](const char *cpu, const char *attributes = "") {
    TargetOptions options;
    options.cpu = cpu;
    options.triple = "x86_64-linux-gnu";
    options.attributes = attributes;
    auto targets = createTargets(UnknownLoc::get(&context), options);
    EXPECT_TRUE(succeeded(targets));
    return llvm::count_if(targets->front()->getFacts().features,
                          [](llvm::StringRef name) { return name.starts_with("amx-"); });
  };
  for (const char *cpu : {"sapphirerapids", "emeraldrapids", "graniterapids"})
    EXPECT_EQ(matrices(cpu), 3) << cpu; // amx-tile, amx-bf16 and amx-int8
  for (const char *cpu : {"x86-64-v4", "icelake-server", "znver5", "sierraforest"})
    EXPECT_EQ(matrices(cpu), 0) << cpu;
  EXPECT_EQ(matrices("sapphirerapids", "-amx-tile"), 0); // the other features depend on this one
  EXPECT_EQ(matrices("x86-64-v3", "+amx-int8"), 2);
  EXPECT_EQ(matrices("sapphirerapids,x86-64-v4,x86-64-v3"), 3); // the first target of a library
}

/// Code for this machine uses AMX if, and only if, programs may use it.
TEST_F(LimitsTest, NativeHasTheMatrixInstructionsThatMayBeUsed) {
  heddle_device_info cpu;
  heddle_cpu_info(&cpu);
  TargetOptions options;
  options.cpu = "native";
  auto targets = createTargets(UnknownLoc::get(&context), options);
  ASSERT_TRUE(succeeded(targets));
  for (llvm::StringRef name : {"amx-tile", "amx-bf16", "amx-int8"})
    EXPECT_EQ(llvm::is_contained(targets->front()->getFacts().features, name),
              llvm::is_contained(llvm::split(cpu.features, ' '), name))
        << name.str();
}

/// A weight whose layers are lowered by several strategies is stored once, so these strategies agree on its form.
TEST_F(LimitsTest, AreTheSameForAllStrategiesOfRoundedRows) {
  auto strategies = listStrategies(context, "linear");
  ASSERT_TRUE(succeeded(strategies));
  for (const char *cpu : {"sapphirerapids", "graniterapids", "sapphirerapids,x86-64-v3", "x86-64-v4"})
    for (const char *attributes : {"", "-avx512f", "+amx-int8"}) {
      if (*attributes && llvm::StringRef(cpu).contains(','))
        continue;
      TargetFacts facts;
      facts.limits = limits(cpu, "x86_64-linux-gnu", attributes);
      std::map<std::string, KnobValues> found;
      for (const Strategy &strategy : *strategies)
        if (strategy.name == "linear-dots" || strategy.name == "linear-amx")
          found[strategy.name] = findKnobValues(strategy, facts);
      ASSERT_EQ(found.size(), 2u);
      for (const char *knob : {"panel", "interleaved", "unsigned_dots"})
        EXPECT_EQ(found["linear-dots"].at(knob), found["linear-amx"].at(knob)) << cpu << attributes << ": " << knob;
    }
}

TEST_F(LimitsTest, AreValuesOfKnobs) {
  auto strategies = listStrategies(context, "linear");
  ASSERT_TRUE(succeeded(strategies));
  TargetFacts facts;
  facts.limits = {{"prefetch_rows", 4}, {"panel", 60}, {"unknown", 1}};
  auto dots = llvm::find_if(*strategies, [](const Strategy &strategy) { return strategy.name == "linear-dots"; });
  ASSERT_NE(dots, strategies->end());
  KnobValues values = findKnobValues(*dots, facts);
  EXPECT_EQ(values["prefetch_rows"], 4);
  EXPECT_EQ(values["panel"], 64); // the nearest option
  EXPECT_EQ(values.count("unknown"), 0u);
}

TEST_F(LimitsTest, DetermineOtherKnobs) {
  auto strategies = listStrategies(context, "linear");
  ASSERT_TRUE(succeeded(strategies));
  auto found = llvm::find_if(*strategies, [](const Strategy &strategy) { return strategy.name == "linear-dots"; });
  ASSERT_NE(found, strategies->end());
  const Strategy &strategy = *found;
  TargetFacts avx2, avx512;
  avx2.limits = {{"vector_bits", 256}, {"vector_registers", 16}};
  avx512.limits = {{"vector_bits", 512}, {"vector_registers", 32}};
  EXPECT_EQ(findKnobValues(strategy, avx2)["panel"], 16);
  EXPECT_EQ(findKnobValues(strategy, avx512)["panel"], 48);
  // A value that the user chooses determines other knobs like a target fact, and takes precedence over facts.
  EXPECT_EQ(findKnobValues(strategy, avx512, {{"vector_bits", 256}})["panel"], 16);
  EXPECT_EQ(findKnobValues(strategy, avx512, {{"vector_bits", 256}, {"panel", 32}})["panel"], 32);
}

} // namespace
