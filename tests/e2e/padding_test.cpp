//===- padding_test.cpp - padding that is skipped -------------------------===//
//
// Compiled models skip rows of padding if these rows do not change the results. Each model is compiled once and called
// with masks of several kinds. The models are an encoder of which only the sentence embedding is computed, an encoder
// that returns all rows (only keys and values are skipped), an encoder whose padded rows are zeros, and attention
// operations: with projections, with several blocks of queries and keys, with few queries, and with narrow heads.
//
//===----------------------------------------------------------------------===//

#include "Compiled.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"

namespace {

/// Returns whether a position of a batch entry is a token (mask 1) and not padding (mask 0).
using Mask = bool (*)(int64_t entry, int64_t position);

/// The names of the masks, for messages, and the masks.
const std::pair<const char *, Mask> masks[] = {
    {"none", [](int64_t, int64_t) { return true; }},
    {"right", [](int64_t b, int64_t s) { return s < 1 + 4 * b; }},
    {"left", [](int64_t b, int64_t s) { return s >= 1 + 3 * b; }},
    {"holes", [](int64_t b, int64_t s) { return (s * (b + 3)) % 5 != 1; }},
    {"the middle, and an entry without a token", [](int64_t b, int64_t s) { return b != 1 && s > 2 && s < 7 + 50 * b; }},
    {"no token at all", [](int64_t, int64_t) { return false; }},
};

struct Padding : QuotedOperations {
  ~Padding() override { heddle_executor_destroy(three); }

  /// Checks the encoder tiny-bert with four batch entries of `tokens` positions; see check() for `zero`.
  void checkEncoder(heddle::ImportOptions options, bool zero, int64_t tokens = 13) {
    options.dims["batch_size"] = 4;
    options.dims["sequence_length"] = tokens;
    auto model = heddle::importModel(context, HEDDLE_TEST_DATA "/../../examples/data/tiny-bert", options);
    ASSERT_TRUE(succeeded(model));
    check(std::move(*model), zero);
  }

  /// Checks a model whose input 1 is the mask: results must be right and have the same bits on one, two and three
  /// threads. If `zero` is true, the padded rows of output 0 must be 0. If `spoil` is true, repeats the check with NaN
  /// at position 1 of input 0.
  void check(heddle::Model model, bool zero, bool spoil = false) {
    mlir::OwningOpRef<mlir::ModuleOp> imported = model.module->clone();
    auto main = imported->lookupSymbol<mlir::func::FuncOp>("main");
    heddle::WeightStore weights = model.weights;
    std::vector<std::string> names;
    for (unsigned i = 0; i < main.getNumResults(); ++i)
      names.push_back(heddle::resultName(main, i));
    std::unique_ptr<heddle::Session> session = compileHere(std::move(model));
    ASSERT_TRUE(session);
    auto inputs = *heddle::randomInputs(main, 7);
    int64_t positions = inputs[1].dim(1), rows = inputs[1].size();
    auto verifyAll = [&] {
      for (auto [name, mask] : masks) {
        SCOPED_TRACE(name);
        for (int64_t i = 0; i < rows; ++i)
          inputs[1].mutableInts()[i] = mask(i / positions, i % positions);
        auto reference = heddle::computeReference(main, inputs, heddle::weightsFrom(weights));
        ASSERT_TRUE(succeeded(reference));
        auto alone = callWith(*session, inputs, nullptr);
        expectRight(alone, names, *reference);
        EXPECT_EQ(alone, callWith(*session, inputs, executor)) << "two threads return other bits than one thread";
        EXPECT_EQ(alone, callWith(*session, inputs, three)) << "three threads return other bits than one thread";
        size_t size = alone[0].size() / rows;
        for (int64_t i = 0; zero && i < rows; ++i)
          if (!mask(i / positions, i % positions))
            EXPECT_TRUE(llvm::all_of(llvm::ArrayRef(alone[0]).slice(i * size, size), [](char c) { return c == 0; }));
      }
    };
    verifyAll();
    if (!spoil)
      return;
    inputs[0].mutableFloats()[inputs[0].size() / rows] = NAN;
    verifyAll();
  }

  /// Parses `text` and adds weights [96, 96] with these names.
  heddle::Model parse(const std::string &text, llvm::ArrayRef<const char *> weights) {
    heddle::Model model;
    model.module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    auto type = mlir::RankedTensorType::get({96, 96}, mlir::Float32Type::get(&context));
    for (auto [number, name] : llvm::enumerate(weights)) {
      std::vector<float> elements;
      for (int64_t i = 0; i < type.getNumElements(); ++i)
        elements.push_back(0.2f * std::sin(float(i * (number + 3) % 997)));
      const char *bytes = reinterpret_cast<const char *>(elements.data());
      EXPECT_TRUE(model.weights.add(name, type, std::vector<char>(bytes, bytes + 4 * elements.size())));
    }
    return model;
  }

  heddle_executor *three = heddle_executor_create(3); // has three threads
};

TEST_F(Padding, OnlyTheSentenceEmbedding) {
  heddle::ImportOptions options;
  options.outputs = {"sentence_embedding"};
  checkEncoder(options, /*zero=*/false);
}

TEST_F(Padding, OnlyKeysAndValuesAreSkipped) {
  heddle::ImportOptions options;
  options.outputs = {"last_hidden_state"};
  checkEncoder(options, /*zero=*/false, /*tokens=*/64); // with too few tokens, nothing would be skipped
}

TEST_F(Padding, RowsOfZeros) {
  heddle::ImportOptions options;
  options.skipPadding = true;
  checkEncoder(options, /*zero=*/true);
}

// Masked keys have a finite score, so their values may contribute. In the first case, all other scores are much larger.
// In the second case, many other scores are lower. In the third case, the mask includes causal order, so some queries
// attend to masked keys only.
TEST_F(Padding, FiniteMaskedScores) {
  llvm::StringRef byKey = R"(
        %none = arith.constant dense<0> : tensor<4x40xi64>
        %active = arith.cmpi ne, %m, %none : tensor<4x40xi64>
        %mask = tensor.expand_shape %active [[0], [1, 2, 3]] output_shape [4, 1, 1, 40]
          : tensor<4x40xi1> into tensor<4x1x1x40xi1>)";
  llvm::StringRef byOrder = R"(
        %zero = arith.constant 0 : i64
        %e = tensor.empty() : tensor<4x1x40x40xi1>
        %mask = linalg.generic {indexing_maps = [affine_map<(b, h, q, k) -> (b, k)>, affine_map<(b, h, q, k) -> (b, h, q, k)>],
            iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
            ins(%m : tensor<4x40xi64>) outs(%e : tensor<4x1x40x40xi1>) {
        ^bb0(%in: i64, %out: i1):
          %query = linalg.index 2 : index
          %key = linalg.index 3 : index
          %before = arith.cmpi ule, %key, %query : index
          %active = arith.cmpi ne, %in, %zero : i64
          %flag = arith.andi %active, %before : i1
          linalg.yield %flag : i1
        } -> tensor<4x1x40x40xi1>)";
  std::tuple<llvm::StringRef, llvm::StringRef, llvm::StringRef> cases[] = {
      {byKey, "4x1x1x40", "masked_score(-1.0e+9)"},
      {byKey, "4x1x1x40", "masked_score(-2000.0) scale(10.0)"},
      {byOrder, "4x1x40x40", "masked_score(-1.0e+9)"}};
  for (auto [mask, shape, knobs] : cases) {
    SCOPED_TRACE((shape + " " + knobs).str());
    std::string text = (llvm::Twine(R"(
      func.func @main(%x: tensor<4x40x96xf32>, %m: tensor<4x40xi64> {heddle.name = "attention_mask"}) -> tensor<4x40x2x48xf32> {
        %wq = heddle.weight "wq" : tensor<96x96xf32>
        %wk = heddle.weight "wk" : tensor<96x96xf32>
        %wv = heddle.weight "wv" : tensor<96x96xf32>)") + mask + R"(
        %q = heddle.linear %x, %wq : (tensor<4x40x96xf32>, tensor<96x96xf32>) -> tensor<4x40x96xf32>
        %k = heddle.linear %x, %wk : (tensor<4x40x96xf32>, tensor<96x96xf32>) -> tensor<4x40x96xf32>
        %v = heddle.linear %x, %wv : (tensor<4x40x96xf32>, tensor<96x96xf32>) -> tensor<4x40x96xf32>
        %qh = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [4, 40, 2, 48] : tensor<4x40x96xf32> into tensor<4x40x2x48xf32>
        %kh = tensor.expand_shape %k [[0], [1], [2, 3]] output_shape [4, 40, 2, 48] : tensor<4x40x96xf32> into tensor<4x40x2x48xf32>
        %vh = tensor.expand_shape %v [[0], [1], [2, 3]] output_shape [4, 40, 2, 48] : tensor<4x40x96xf32> into tensor<4x40x2x48xf32>
        %y = heddle.attention %qh, %kh, %vh mask(%mask) )" +
                        knobs + R"( query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
          : (tensor<4x40x2x48xf32>, tensor<4x40x2x48xf32>, tensor<4x40x2x48xf32>, tensor<)" +
                        shape + R"(xi1>) -> tensor<4x40x2x48xf32>
        return %y : tensor<4x40x2x48xf32>
      })")
                           .str();
    heddle::Model model = parse(text, {"wq", "wk", "wv"});
    ASSERT_TRUE(model.module);
    check(std::move(model), /*zero=*/false, /*spoil=*/true);
  }
}

// The model multiplies rows by the mask and sums them. Since 0 x NaN is NaN, the contents of padding matter. In a batch
// entry without tokens, all scores are -inf or the lowest f32. The cases compute the masked scores in different ways.
TEST_F(Padding, RowsThatAreNaN) {
  auto scores = [](llvm::StringRef body) {
    return (R"(
        %zero = arith.constant 0.0 : f32
        %none = arith.constant 0 : i64
        %infinity = arith.constant 0xFF800000 : f32
        %lowest = arith.constant -3.40282347E+38 : f32
        %e = tensor.empty() : tensor<4x40xf32>
        %s = linalg.generic {indexing_maps = [affine_map<(b, s) -> (b, s)>, affine_map<(b, s) -> (b, s)>],
            iterator_types = ["parallel", "parallel"]} ins(%m : tensor<4x40xi64>) outs(%e : tensor<4x40xf32>) {
        ^bb0(%in: i64, %out: f32):
          %active = arith.cmpi ne, %in, %none : i64)" +
            body + R"(
          linalg.yield %score : f32
        } -> tensor<4x40xf32>
        %bias = tensor.expand_shape %s [[0], [1, 2, 3]] output_shape [4, 1, 1, 40]
          : tensor<4x40xf32> into tensor<4x1x1x40xf32>)")
        .str();
  };
  std::string mask = R"(
        %none = arith.constant dense<0> : tensor<4x40xi64>
        %active = arith.cmpi ne, %m, %none : tensor<4x40xi64>
        %mask = tensor.expand_shape %active [[0], [1, 2, 3]] output_shape [4, 1, 1, 40]
          : tensor<4x40xi1> into tensor<4x1x1x40xi1>)";
  std::string infinite = scores("%score = arith.select %active, %zero, %infinity : f32");
  std::string logarithm = scores("%real = arith.uitofp %active : i1 to f32\n%score = math.log %real : f32");
  std::string lowest = scores("%score = arith.select %active, %zero, %lowest : f32");
  std::pair<llvm::StringRef, llvm::StringRef> cases[] = {
      {mask, "mask(%mask) empty_row(nan)"},  {mask, "mask(%mask)"},
      {infinite, "bias(%bias) empty_row(nan)"}, {logarithm, "bias(%bias) empty_row(nan)"},
      {lowest, "bias(%bias) empty_row(nan)"},   {mask, "mask(%mask) masked_score(-3.40282347E+38) empty_row(nan)"}};
  for (auto [made, knobs] : cases) {
    SCOPED_TRACE((made + " " + knobs).str());
    std::string text = (llvm::Twine(R"(
      func.func @main(%x: tensor<4x40x96xf32>, %m: tensor<4x40xi64> {heddle.name = "attention_mask"}) -> tensor<4x96xf32> {
        %wq = heddle.weight "wq" : tensor<96x96xf32>
        %wo = heddle.weight "wo" : tensor<96x96xf32>)") + made + R"(
        %q = heddle.linear %x, %wq : (tensor<4x40x96xf32>, tensor<96x96xf32>) -> tensor<4x40x96xf32>
        %h = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [4, 40, 2, 48] : tensor<4x40x96xf32> into tensor<4x40x2x48xf32>
        %y = heddle.attention %h, %h, %h )" +
                        knobs + R"( query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
          : (tensor<4x40x2x48xf32>, tensor<4x40x2x48xf32>, tensor<4x40x2x48xf32>, )" +
                        (knobs.starts_with("mask") ? "tensor<4x1x1x40xi1>" : "tensor<4x1x1x40xf32>") +
                        R"() -> tensor<4x40x2x48xf32>
        %c = tensor.collapse_shape %y [[0], [1], [2, 3]] : tensor<4x40x2x48xf32> into tensor<4x40x96xf32>
        %o = heddle.linear %c, %wo residual(%x) : (tensor<4x40x96xf32>, tensor<96x96xf32>, tensor<4x40x96xf32>) -> tensor<4x40x96xf32>
        %f = arith.sitofp %m : tensor<4x40xi64> to tensor<4x40xf32>
        %w = tensor.empty() : tensor<4x40x96xf32>
        %b = linalg.broadcast ins(%f : tensor<4x40xf32>) outs(%w : tensor<4x40x96xf32>) dimensions = [2]
        %p = arith.mulf %o, %b : tensor<4x40x96xf32>
        %z = arith.constant dense<0.0> : tensor<4x96xf32>
        %sum = linalg.reduce { arith.addf } ins(%p : tensor<4x40x96xf32>) outs(%z : tensor<4x96xf32>) dimensions = [1]
        return %sum : tensor<4x96xf32>
      })").str();
    heddle::Model model = parse(text, {"wq", "wo"});
    ASSERT_TRUE(model.module);
    check(std::move(model), /*zero=*/false, /*spoil=*/true);
  }
}

/// 200 queries are computed in blocks. 6 queries are computed together, and their padded rows are then set to zero.
TEST_F(Padding, AttentionInBlocksAndOfFewQueries) {
  for (auto [positions, knobs] : std::initializer_list<std::pair<llvm::StringRef, llvm::StringRef>>{
           {"200", "masked_score(-3.4028234663852886e+38)"},
           {"200", "masked_score(-3.0)"},
           {"200", ""},
           {"200", "empty_row(nan)"},
           {"200", "empty_row(nan_to_zeros)"},
           {"6", ""},
           {"6", "masked_score(-3.0)"},
           {"6", "empty_row(nan)"}}) {
    SCOPED_TRACE((positions + " " + knobs).str());
    std::string text = (R"(
      func.func @main(%x: tensor<3xPOSITIONSx2x16xf32>, %m: tensor<3xPOSITIONSxi64> {heddle.name = "attention_mask"})
          -> tensor<3xPOSITIONSx2x16xf32> {
        %none = arith.constant dense<0> : tensor<3xPOSITIONSxi64>
        %zeros = arith.constant dense<0.0> : tensor<3xPOSITIONSx2x16xf32>
        %active = arith.cmpi ne, %m, %none : tensor<3xPOSITIONSxi64>
        %mask = tensor.expand_shape %active [[0], [1, 2, 3]] output_shape [3, 1, 1, POSITIONS]
          : tensor<3xPOSITIONSxi1> into tensor<3x1x1xPOSITIONSxi1>
        %y = heddle.attention %x, %x, %x mask(%mask) )" +
                        knobs.str() + R"( query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
          : (tensor<3xPOSITIONSx2x16xf32>, tensor<3xPOSITIONSx2x16xf32>, tensor<3xPOSITIONSx2x16xf32>, tensor<3x1x1xPOSITIONSxi1>)
          -> tensor<3xPOSITIONSx2x16xf32>
        %e = tensor.empty() : tensor<3xPOSITIONSx2x16xi1>
        %rows = linalg.broadcast ins(%active : tensor<3xPOSITIONSxi1>) outs(%e : tensor<3xPOSITIONSx2x16xi1>) dimensions = [2, 3]
        %r = arith.select %rows, %y, %zeros : tensor<3xPOSITIONSx2x16xi1>, tensor<3xPOSITIONSx2x16xf32>
        return %r : tensor<3xPOSITIONSx2x16xf32>
      })");
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(text).split(parts, "POSITIONS");
    text = llvm::join(parts, positions);
    heddle::Model model;
    model.module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    ASSERT_TRUE(model.module);
    // The check with NaN is omitted for cases with `masked_score`: masked keys then have a finite score and contribute
    // to the result, because 0 x NaN is NaN.
    check(std::move(model), /*zero=*/true, /*spoil=*/!knobs.starts_with("masked_score"));
  }
}

// The strategy with heads in vector lanes computes all rows. Padded rows are set to zero afterwards.
TEST_F(Padding, RowsOfAttentionWithNarrowHeads) {
  heddle::Model model;
  model.module = mlir::parseSourceString<mlir::ModuleOp>(R"(
      func.func @main(%x: tensor<3x12x2x4xf32>, %m: tensor<3x12xi64> {heddle.name = "attention_mask"})
          -> tensor<3x12x2x4xf32> {
        %none = arith.constant dense<0> : tensor<3x12xi64>
        %zeros = arith.constant dense<0.0> : tensor<3x12x2x4xf32>
        %active = arith.cmpi ne, %m, %none : tensor<3x12xi64>
        %y = heddle.attention %x, %x, %x query_layout(bshd) key_layout(bshd) value_layout(bshd) result_layout(bshd)
          : (tensor<3x12x2x4xf32>, tensor<3x12x2x4xf32>, tensor<3x12x2x4xf32>) -> tensor<3x12x2x4xf32>
        %e = tensor.empty() : tensor<3x12x2x4xi1>
        %rows = linalg.broadcast ins(%active : tensor<3x12xi1>) outs(%e : tensor<3x12x2x4xi1>) dimensions = [2, 3]
        %r = arith.select %rows, %y, %zeros : tensor<3x12x2x4xi1>, tensor<3x12x2x4xf32>
        return %r : tensor<3x12x2x4xf32>
      })",
                                                         &context);
  ASSERT_TRUE(model.module);
  check(std::move(model), /*zero=*/true, /*spoil=*/false);
}

} // namespace
