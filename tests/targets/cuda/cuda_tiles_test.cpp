//===- cuda_tiles_test.cpp - random layers with tiles ---------------------===//
//
// Compares layers of random sizes, which are computed in tiles in workgroup memory
// and registers, with the interpreter. In linear and feed-forward layers (of f32, f64, bf16
// and f16, and layers that round their rows), products are computed in tiles;
// in softmax and norms (of f32, bf16 and f16), rows are tiles. The PTX
// interpreter checks each access and finds races.
//
//===----------------------------------------------------------------------===//

#include "targets/OnDevice.h"

#include "random/CaseCount.h"

#include <array>
#include <random>

using namespace heddle;

using CudaTiles = OnInterpreter<QuotedOperations>;

namespace {
/// The types of a layer.
constexpr const char *types[] = {"",
                                 " type=bf16",
                                 " type=f16",
                                 " rounding=bf16 weights=constant",
                                 " rounding=f16 weights=constant",
                                 " type=f64"};
constexpr unsigned numTypes = std::size(types);

/// Returns random values of some of the strategy's knobs, with the colon before them, for a layer of type `type`.
std::string randomKnobs(std::mt19937 &random, llvm::StringRef type) {
  std::string text;
  auto add = [&](const std::string &knob) { text += (text.empty() ? ":" : ",") + knob; };
  // By default, a block has 128 x 128 sums, and each of 4 x 2 warps has 32 x 64 of them. Each of these knobs halves one
  // of these numbers.
  int64_t halvedBlock = 0, halvedWarps = 0;
  for (const char *knob : {"warp_rows=2", "block_rows=64", "warp_columns=1", "block_columns=64"})
    if (random() % 3 == 0) {
      add(knob);
      ++(llvm::StringRef(knob).starts_with("block") ? halvedBlock : halvedWarps);
    }
  // A lane may have at most twice as many sums as by default, and in f64 no more than by default.
  if (halvedWarps - halvedBlock > (type.contains("f64") ? 0 : 1))
    text.clear();
  for (const char *knob : {"depth=8", "f64_depth=4"})
    if (random() % 3 == 0)
      add(knob);
  for (const char *knob : {"matrix_depth=16", "matrix_warp_rows=4", "matrix_block_rows=64"})
    if (random() % 3 == 0)
      add(knob);
  // A block of 256 columns needs more than two warps in a row.
  switch (random() % 5) {
  case 0:
    add("matrix_block_columns=64");
    break;
  case 1:
    add("matrix_warp_columns=4");
    break;
  case 2:
    add("matrix_warp_columns=4,matrix_block_columns=256");
    break;
  default:
    break;
  }
  if (random() % 3 == 0)
    add("stages=" + std::to_string(1 + random() % 4));
  // These knobs cause large blocks and short parts of the contraction, which layers of this size would not have by
  // default.
  for (const char *knob : {"min_blocks=8,matrix_min_blocks=8", "part_terms=32"})
    if (random() % 3 == 0)
      add(knob);
  return text;
}

/// Returns a quoted layer with random extents and knobs. Its extents are multiples of eight or four, or any numbers.
/// `type` is one of `types`.
std::string randomLayer(std::mt19937 &random, llvm::StringRef type) {
  auto number = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int unit = 1 << std::array{0, 0, 2, 3}[number(0, 3)];
  bool isLinear = number(0, 1) || type.contains("rounding");
  auto extent = [&](int high) { return std::to_string(unit * number(1, high / unit)); };
  std::string text = isLinear ? "linear m=" + extent(300) + " n=" + extent(300) + " k=" + extent(70)
                              : "ffn m=" + extent(150) + " k=" + extent(40) + " hidden=" + extent(150);
  static constexpr const char *activations[] = {"none", "relu", "gelu", "gelu_tanh", "silu", "tanh"};
  for (const char *knob : {"bias", "residual", "gated"})
    if (number(0, 1) && !(isLinear && knob == std::string("gated")))
      text += std::string(" ") + knob + "=1";
  return text + " activation=" + activations[number(0, 5)] + type.str();
}

/// The number of types of a softmax or a norm, which are the first ones of `types`. In registers, rows are f32, so
/// elements of another type are converted when they are loaded.
constexpr unsigned numRowTypes = 3;

/// Returns a quoted softmax or norm, `op`, with random extents and knobs. A row may be shorter than a warp or as long
/// as registers allow, and its length may be any number, or a multiple of two, four or eight. `type` is one of
/// `types`.
std::string randomRows(std::mt19937 &random, const std::string &op, const char *type) {
  auto number = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int unit = 1 << number(0, 3), longest = number(0, 4) ? 600 : 4096;
  int rows = number(1, number(0, 3) ? 40 : 700), columns = unit * number(1, (rows > 40 ? 100 : longest) / unit);
  std::string text = op + " rows=" + std::to_string(rows) + " d=" + std::to_string(columns) + type;
  if (op == "softmax")
    return text;
  for (const char *knob : {"scale", "residual"})
    text += std::string(" ") + knob + "=" + std::to_string(number(0, 1));
  if (op == "layer_norm")
    text += " bias=" + std::to_string(number(0, 1));
  return text + (number(0, 1) ? " epsilon=1e-3" : "");
}

/// Returns a random value of a knob that distributes rows over warps, with the colon before it; or "". With fewer
/// columns of a warp, or more workgroups, more warps share a row.
std::string randomRowKnobs(std::mt19937 &random) {
  static constexpr const char *knobs[] = {"warp_columns=256", "min_blocks=256", "min_blocks=32", "warps=8", "warps=1"};
  return random() % 2 ? ":" + std::string(knobs[random() % std::size(knobs)]) : "";
}

struct RowsCase {
  const char *op, *strategy;
};
constexpr RowsCase rowsCases[] = {
    {"softmax", "softmax-row-tiles"}, {"layer_norm", "layer-norm-row-tiles"}, {"rms_norm", "rms-norm-row-tiles"}};
} // namespace

TEST_P(CudaTiles, AgreeWithTheInterpreter) {
  unsigned type = GetParam() % numTypes;
  std::mt19937 random(17 + GetParam());
  for (unsigned i = 0; i < caseCount(10); ++i) {
    std::string operation = randomLayer(random, types[type]), op = operation.substr(0, operation.find(' '));
    strategy = op + "=" + op + "-tiles" + randomKnobs(random, types[type]);
    SCOPED_TRACE(strategy);
    unsigned seed = i + 1;
    check(operation, [&](mlir::func::FuncOp main) { return *randomInputs(main, seed); });
  }
}
INSTANTIATE_TEST_SUITE_P(Random, CudaTiles, testing::Range(0u, 3 * numTypes));

using CudaTileSizes = OnInterpreter<QuotedOperations>;

/// Each extent takes all values around the sizes of fragments, chunks of a copy and steps.
TEST_P(CudaTileSizes, AreAllRight) {
  strategy = "linear=linear-tiles";
  for (unsigned extent = 1 + GetParam(); extent <= 36; extent += 4) {
    std::string size = std::to_string(extent);
    const char *type = types[1 + extent % (numTypes - 1)];
    for (const std::string &sizes : {"m=" + size + " n=24 k=16", "m=9 n=" + size + " k=40", "m=17 n=8 k=" + size})
      check("linear " + sizes + " bias=1" + type, [&](mlir::func::FuncOp main) { return *randomInputs(main, extent); });
  }
}
INSTANTIATE_TEST_SUITE_P(Small, CudaTileSizes, testing::Range(0u, 4u));

struct CudaRowTiles : CudaTiles {};

TEST_P(CudaRowTiles, AgreeWithTheInterpreter) {
  std::mt19937 random(29 + GetParam());
  const RowsCase &tested = rowsCases[GetParam() % std::size(rowsCases)];
  const char *type = types[GetParam() / std::size(rowsCases)];
  for (unsigned i = 0; i < caseCount(10); ++i) {
    unsigned seed = i + 1;
    strategy = tested.op + std::string("=") + tested.strategy + randomRowKnobs(random);
    SCOPED_TRACE(strategy);
    check(randomRows(random, tested.op, type), [&](mlir::func::FuncOp main) { return *randomInputs(main, seed); });
  }
}
INSTANTIATE_TEST_SUITE_P(Random, CudaRowTiles, testing::Range(0u, numRowTypes * unsigned(std::size(rowsCases))));
