//===- cuda_tiles_test.cpp - random linear layers by tiles ----------------===//
//
// Compares linear and feed-forward layers of random sizes, whose products are
// tiles with places, with the interpreter. The PTX interpreter checks each
// access and finds races.
//
//===----------------------------------------------------------------------===//

#include "targets/OnDevice.h"

#include "random/CaseCount.h"

#include <random>

using namespace heddle;

constexpr unsigned numTileGroups = 4;

using CudaTiles = OnInterpreter<QuotedOperations>;

namespace {
/// Returns random values of some of the strategy's knobs, with the colon before them.
std::string randomKnobs(std::mt19937 &random) {
  std::string text;
  for (const char *knob : {"depth=8", "warp_rows=2", "block_rows=64", "warp_columns=1", "block_columns=64"})
    if (random() % 3 == 0)
      text += (text.empty() ? ":" : ",") + std::string(knob);
  // Two warps would have too many sums a lane of a block of 128 x 128.
  bool isNarrow = llvm::StringRef(text).contains("warp_rows=2") && llvm::StringRef(text).contains("warp_columns=1");
  bool isSmall = llvm::StringRef(text).contains("block_");
  return isNarrow && !isSmall ? "" : text;
}

/// Returns a quoted layer with random extents and knobs. Its extents are multiples of four, or any numbers.
std::string randomLayer(std::mt19937 &random) {
  auto number = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int unit = number(0, 1) ? 4 : 1;
  auto extent = [&](int high) { return std::to_string(unit * number(1, high / unit)); };
  std::string text = number(0, 3) ? "linear m=" + extent(300) + " n=" + extent(300) + " k=" + extent(70)
                                  : "ffn m=" + extent(150) + " k=" + extent(40) + " hidden=" + extent(150);
  static constexpr const char *activations[] = {"none", "relu", "gelu", "gelu_tanh", "silu", "tanh"};
  bool isLinear = text[0] == 'l';
  for (const char *knob : {"bias", "residual", "gated"})
    if (number(0, 1) && !(isLinear && knob == std::string("gated")))
      text += std::string(" ") + knob + "=1";
  return text + " activation=" + activations[number(0, 5)];
}
} // namespace

TEST_P(CudaTiles, AgreeWithTheInterpreter) {
  std::mt19937 random(17 + GetParam());
  for (unsigned i = 0; i < caseCount(10); ++i) {
    std::string operation = randomLayer(random), op = operation.substr(0, operation.find(' '));
    strategy = op + "=" + op + "-tiles" + randomKnobs(random);
    SCOPED_TRACE(strategy);
    unsigned seed = i + 1;
    check(operation, [&](mlir::func::FuncOp main) { return *randomInputs(main, seed); });
  }
}
INSTANTIATE_TEST_SUITE_P(Random, CudaTiles, testing::Range(0u, numTileGroups));
