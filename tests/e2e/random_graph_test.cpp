//===- random_graph_test.cpp - random modules -----------------------------===//
//
// Each random graph is imported, recognised, compiled, called, and compared with the interpreter, as `heddle
// verify` does. After a failure, the test prints the seed and the graph.
//
// If HEDDLE_GRAPHS=FIRST-LAST is set, only the graphs with these seeds are tested, all of them by the first test case.
// This test case prints each seed before it tests the graph.
//
//===----------------------------------------------------------------------===//

#include "../random/CaseCount.h"
#include "../random/RandomGraph.h"
#include "Compiled.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

namespace {

constexpr uint64_t groups = 10;

struct RandomGraphs : QuotedOperations {
  llvm::SmallString<128> path;
  bool hasAvx2;

  RandomGraphs() {
    auto target = heddle::createTarget(mlir::UnknownLoc::get(&context), {});
    auto has = [&](auto name) { return llvm::is_contained((*target)->getFacts().features, name); };
    hasAvx2 = succeeded(target) && has("avx2") && has("fma");
    std::error_code error = llvm::sys::fs::createTemporaryFile("heddle-graph", "mlir", path);
    EXPECT_FALSE(error) << error.message();
  }
  ~RandomGraphs() override { llvm::sys::fs::remove(path); }

  /// Returns the text of the random graph of a seed with `type` in place of f32.
  static std::string graphOf(uint64_t seed, llvm::StringRef type) {
    std::string text = randomGraph(seed);
    for (size_t at = 0; (at = text.find("f32", at)) != std::string::npos; at += type.size())
      text.replace(at, 3, type);
    return text;
  }

  void checkGraph(uint64_t seed, llvm::StringRef type = "f32") {
    std::string text = graphOf(seed, type);
    {
      std::error_code error;
      llvm::raw_fd_ostream file(path, error);
      file << text;
    }
    // For every second graph, code is for vectors of 256 bits.
    cpu = seed % 2 && hasAvx2 ? "x86-64-v3" : "native";
    auto inputs = [&](mlir::func::FuncOp main) { return *heddle::randomInputs(main, seed); };
    int before = testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count();
    check(path, inputs);
    if (testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count() != before)
      llvm::errs() << "seed " << seed << ":\n" << text;
  }
};

TEST_P(RandomGraphs, AgreeWithTheInterpreter) {
  if (auto chosen = llvm::sys::Process::GetEnv("HEDDLE_GRAPHS")) {
    auto [first, last] = llvm::StringRef(*chosen).split('-');
    uint64_t from = 0, to = 0;
    ASSERT_FALSE(first.getAsInteger(10, from) || last.getAsInteger(10, to)) << "HEDDLE_GRAPHS=FIRST-LAST";
    for (uint64_t seed = from; GetParam() == 0 && seed <= to; ++seed) {
      llvm::errs() << "seed " << seed << "\n";
      checkGraph(seed);
    }
    return;
  }
  const uint64_t each = caseCount(20);
  for (uint64_t seed = GetParam() * each; seed < (GetParam() + 1) * each; ++seed)
    checkGraph(seed);
}

TEST_P(RandomGraphs, AgreeInOtherTypes) {
  const char *const types[] = {"f16", "bf16", "f64"};
  const uint64_t first = 1000, each = caseCount(6);
  for (uint64_t seed = first + GetParam() * each; seed < first + (GetParam() + 1) * each; ++seed)
    checkGraph(seed, types[seed % 3]);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphs, testing::Range(0u, unsigned(groups)));

} // namespace
