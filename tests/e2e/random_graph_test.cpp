//===- random_graph_test.cpp - random modules -----------------------------===//
//
// Random graphs combine operations in ways that no other test contains. Each graph is imported and compiled, and the
// results of its code are compared with the interpreter, as by `heddle verify`. After a failure, the test prints the
// seed and the graph.
//
// If HEDDLE_GRAPHS=FIRST-LAST is set, AgreeWithTheInterpreter/0 tests the graphs with the seeds FIRST to LAST, and
// prints each seed before it tests the graph. The other cases of AgreeWithTheInterpreter then test nothing.
//
//===----------------------------------------------------------------------===//

#include "../random/CaseCount.h"
#include "../random/RandomGraph.h"
#include "Compiled.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

namespace {

constexpr uint64_t groups = 10; // the number of groups of seeds, which ctest can run in parallel

struct RandomGraphs : QuotedOperations {
  llvm::SmallString<128> path; // the temporary file to which each graph is written
  bool hasAvx2;                // whether this machine can run code for x86-64-v3

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

  /// Tests the random graph of a seed with `type` in place of f32. After a failure, prints the seed and the graph.
  void checkGraph(uint64_t seed, llvm::StringRef type = "f32") {
    std::string text = graphOf(seed, type);
    {
      std::error_code error;
      llvm::raw_fd_ostream file(path, error);
      file << text;
    }
    // Graphs with an odd seed are compiled for vectors of 256 bits, and other graphs for this machine's CPU.
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
    ASSERT_FALSE(first.getAsInteger(10, from) || last.getAsInteger(10, to)) << "expected HEDDLE_GRAPHS=FIRST-LAST";
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
