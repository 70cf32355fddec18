//===- layers_test.cpp - layers other than attention ----------------------===//
//
// Tests the interpreter's results for each layer with and without its optional operands and attributes. Expected values
// were computed with NumPy, in f64.
//
//===----------------------------------------------------------------------===//

#include "Pattern.h"

using heddle::Tensor;
using Floats = std::vector<double>;

TEST(Linear, Activations) {
  Runner runner;
  llvm::SmallVector<Tensor> operands = {pattern(runner, {2, 3}, 7), pattern(runner, {3, 2}, 5, 1), pattern(runner, {2}, 3)};
  auto activated = [&](std::string activation) {
    return runOp(runner, "heddle.linear %a0, %a1 bias(%a2) {activation = #heddle.activation<" + activation + ">}",
                 operands, {{2, 2}});
  };
  expectNear(activated("none"), {-1.25, 0.0625, -1, 0.0625});
  expectNear(activated("relu"), {0, 0.0625, 0, 0.0625});
  expectNear(activated("gelu"), {-0.1320622, 0.03280735, -0.1586553, 0.03280735});
  expectNear(activated("gelu_tanh"), {-0.1322858, 0.03280735, -0.158808, 0.03280735});
  expectNear(activated("silu"), {-0.2783752, 0.03222624, -0.2689414, 0.03222624});
  expectNear(activated("tanh"), {-0.8482836, 0.06241875, -0.7615942, 0.06241875});
}

TEST(Linear, ResidualIsAddedLast) {
  Runner runner;
  Tensor x = pattern(runner, {2, 3}, 7), w = pattern(runner, {3, 2}, 5, 1);
  expectNear(runOp(runner, "heddle.linear %a0, %a1 bias(%a2) residual(%a3) {activation = #heddle.activation<gelu>}",
                   {x, w, pattern(runner, {2}, 3), pattern(runner, {2, 2}, 2, 1)}, {{2, 2}}),
             {-1.132062, -0.4671926, -0.1586553, 0.5328074});
  expectNear(runOp(runner, "heddle.linear %a0, %a1", {x, w}, {{2, 2}}), {-0.75, -0.1875, -0.5, -0.1875});
}

TEST(Linear, PackedWeight) {
  Runner runner;
  // A packed weight consists of panels of neighbouring columns. The weight [3, 2] has one panel of 4 columns: a row of
  // the panel is a row of the weight and two zeros.
  Tensor packed = runner.f32({1, 3, 4}, Floats(12)), w = pattern(runner, {3, 2}, 5, 1);
  for (int64_t i = 0; i < 6; ++i)
    packed.mutableFloats()[i / 2 * 4 + i % 2] = w.floats()[i];
  expectNear(runOp(runner, "heddle.linear %a0, %a1", {pattern(runner, {2, 3}, 7), packed}, {{2, 2}}),
             {-0.75, -0.1875, -0.5, -0.1875});
  // The weight [3, 3] has 3 panels of 1 column, which are interleaved by two: first columns 0 and 2, then column 1 and
  // padding.
  Tensor interleaved = runner.f32({2, 2, 3, 1}, Floats(12)), square = pattern(runner, {3, 3}, 5, 1);
  for (int64_t i = 0; i < 9; ++i)
    interleaved.mutableFloats()[(i % 3 % 2 * 2 + i % 3 / 2) * 3 + i / 3] = square.floats()[i];
  Tensor x = pattern(runner, {2, 3}, 7);
  expectNear(runOp(runner, "heddle.linear %a0, %a1", {x, interleaved}, {{2, 3}}),
             runOp(runner, "heddle.linear %a0, %a1", {x, square}, {{2, 3}}));
  // In panels of 1 column, the weight [3, 2] becomes [2, 3, 1], its transpose.
  Tensor columns = runner.f32({2, 3, 1}, Floats(6));
  for (int64_t i = 0; i < 6; ++i)
    columns.mutableFloats()[i % 2 * 3 + i / 2] = w.floats()[i];
  expectNear(runOp(runner, "heddle.linear %a0, %a1", {pattern(runner, {1, 2, 3}, 7), columns}, {{1, 2, 2}}),
             {-0.75, -0.1875, -0.5, -0.1875});
}

TEST(Linear, ReluPropagatesNan) {
  Runner runner;
  expectNear(runOp(runner, "heddle.linear %a0, %a1 {activation = #heddle.activation<relu>}",
                   {runner.f32({1, 1}, {NAN}), runner.f32({1, 1}, {1})}, {{1, 1}}),
             {NAN});
}

TEST(Ffn, PlainAndGated) {
  Runner runner;
  Tensor x = pattern(runner, {2, 3}, 7), up = pattern(runner, {3, 4}, 5, 1), down = pattern(runner, {4, 2}, 3, 1);
  Tensor upBias = pattern(runner, {4}, 3), downBias = pattern(runner, {2}, 3), residual = pattern(runner, {2, 2}, 2, 1);
  expectNear(runOp(runner, "heddle.ffn %a0, %a1, %a2", {x, up, down}, {{2, 2}}),
             {-3.896694, -0.5547517, -3.557427, -0.4767359});
  expectNear(runOp(runner, "heddle.ffn %a0, %a1, %a2 up_bias(%a3) down_bias(%a4) residual(%a5)",
                   {x, up, down, upBias, downBias, residual}, {{2, 2}}),
             {-5.535947, -0.7645906, -4.214331, 0.4255582});
  expectNear(runOp(runner,
                   "heddle.ffn %a0, %a1, %a2 up_bias(%a3) down_bias(%a4) gate(%a5) gate_bias(%a6) "
                   "{activation = #heddle.activation<silu>}",
                   {x, up, down, upBias, downBias, pattern(runner, {3, 4}, 2, 5), pattern(runner, {4}, 2)}, {{2, 2}}),
             {-3.546856, 6.063581, -2.892808, 5.12346});
}

// The sum over no inputs is 0, so the result is the bias of the second layer.
TEST(Ffn, WithoutInputs) {
  Runner runner;
  expectNear(runOp(runner, "heddle.ffn %a0, %a1, %a2 down_bias(%a3)",
                   {runner.f32({2, 0}, {}), runner.f32({0, 4}, {}), pattern(runner, {4, 2}, 3), runner.f32({2}, {1, 2})},
                   {{2, 2}}),
             {1, 2, 1, 2});
}

TEST(Ffn, PackedWeights) {
  Runner runner;
  // Packs a weight [K, N]. The last panel has zeros after column N.
  auto packed = [&](const Tensor &weight, int64_t panel) {
    int64_t k = weight.dim(0), n = weight.dim(1), panels = (n + panel - 1) / panel;
    Tensor result = runner.f32({panels, k, panel}, Floats(panels * k * panel));
    for (int64_t i = 0; i < k * n; ++i)
      result.mutableFloats()[(i % n / panel * k + i / n) * panel + i % n % panel] = weight.floats()[i];
    return result;
  };
  Tensor x = pattern(runner, {2, 3}, 7), up = pattern(runner, {3, 4}, 5, 1), down = pattern(runner, {4, 2}, 3, 1);
  Tensor gate = pattern(runner, {3, 4}, 2, 5);
  std::string gated = "heddle.ffn %a0, %a1, %a2 gate(%a3) {activation = #heddle.activation<silu>}";
  Floats values = runOp(runner, gated, {x, up, down, gate}, {{2, 2}});
  for (int64_t panel : {1, 3, 8}) {
    expectNear(runOp(runner, "heddle.ffn %a0, %a1, %a2", {x, packed(up, panel), packed(down, panel)}, {{2, 2}}),
               {-3.896694, -0.5547517, -3.557427, -0.4767359});
    expectNear(runOp(runner, gated, {x, packed(up, panel), packed(down, panel), packed(gate, panel)}, {{2, 2}}), values);
  }
}

TEST(LayerNorm, WithAndWithoutOptionalOperands) {
  Runner runner;
  Tensor x = pattern(runner, {2, 4}, 7);
  expectNear(runOp(runner, "heddle.layer_norm %a0", {x}, {{2, 4}}),
             {-0.7228914, 1.526104, 0.2409638, -1.044177, 1.044177, -0.2409638, -1.526104, 0.7228914});
  expectNear(runOp(runner, "heddle.layer_norm %a0 scale(%a1) bias(%a2) residual(%a3) {epsilon = 0.5}",
                   {x, pattern(runner, {4}, 5, 1), pattern(runner, {4}, 2), pattern(runner, {2, 4}, 3)}, {{2, 4}}),
             {0.1364458, 0.2386672, -0.4944466, 1, -0.993197, 0.04109975, 0.7054987, 1});
  expectNear(runOp(runner, "heddle.layer_norm %a0", {runner.f32({1, 3}, {7, 7, 7})}, {{1, 3}}), {0, 0, 0});
}

TEST(RmsNorm, WithAndWithoutOptionalOperands) {
  Runner runner;
  Tensor x = pattern(runner, {2, 4}, 7);
  expectNear(runOp(runner, "heddle.rms_norm %a0", {x}, {{2, 4}}),
             {-0.6405074, 1.601268, 0.3202537, -0.960761, 1.24938, 0, -1.24938, 0.9370353});
  expectNear(runOp(runner, "heddle.rms_norm %a0 scale(%a1) residual(%a2) {epsilon = 0.5}",
                   {x, pattern(runner, {4}, 5, 1), pattern(runner, {2, 4}, 3)}, {{2, 4}}),
             {0.6364458, 0.2386672, -0.9944466, 0, -0.8846517, 0.147442, -0.3686049, 0});
}

/// Each pair of elements is rotated by an angle. The head size is 4. Without attributes, elements i and i + 2 are a
/// pair. With `interleaved`, neighbouring elements are a pair.
TEST(RotaryEmbedding, HalvesAndInterleaved) {
  Runner runner;
  Tensor x = pattern(runner, {1, 2, 2, 4}, 7);
  Tensor cosine = runner.f32({2, 2}, {0.8775826, 0.5403023, 0.0707372, -0.4161468});
  Tensor sine = runner.f32({2, 2}, {0.4794255, 0.841471, 0.997495, -0.9092974});
  auto rotated = [&](std::string attributes) {
    return runOp(runner, "heddle.rotary_embedding %a0, %a1, %a2 {" + attributes + "}", {x, cosine, sine}, {{1, 2, 2, 4}});
  };
  expectNear(rotated(""), {-0.5586477, 1.306481, -0.0203171, 0.646612, 1.068232, 0.6819731, 0.9267578, -0.3121101,
                           -0.4591084, -0.2546424, 0.3189349, -1.32199, 0.8365428, 0.8052607, 1.193816, -0.6434711});
  expectNear(rotated("interleaved"),
             {-1.038073, 0.8572655, 0.7661788, -0.194859, 0.0707372, 0.997495, 1.09812, 0.5971873,
              0.3798862, -1.216835, 0.6908866, 0.1505843, -0.1609523, 1.264553, 1.221407, 0.2658263});
  expectNear(rotated("layout = #heddle.layout<bshd>"),
             {-0.5586477, 1.306481, -0.0203171, 0.646612, 1.357008, -0.6311033, -0.3981571, 0.4052267,
              -0.5164318, 0.0655348, -0.2140052, 1.344695, 0.8365428, 0.8052607, 1.193816, -0.6434711});
}

/// There is one angle for each position, so only the first pair of elements is rotated.
TEST(RotaryEmbedding, ElementsAfterThePairsAreCopied) {
  Runner runner;
  expectNear(runOp(runner, "heddle.rotary_embedding %a0, %a1, %a2",
                   {pattern(runner, {1, 2, 2, 4}, 7), runner.f32({2, 1}, {0.8775826, 0.0707372}),
                    runner.f32({2, 1}, {0.4794255, 0.997495})},
                   {{1, 2, 2, 4}}),
             {-1.038073, 0.8572655, 0.25, -0.75, 0.0707372, 0.997495, -1, 0.75,
              0.3798862, -1.216835, 0.5, -0.5, -0.1609523, 1.264553, -0.75, 1});
}

TEST(RotaryEmbedding, AnglesPerBatchEntry) {
  Runner runner;
  Floats cosine = {0.8775826, 0.5403023, 0.0707372, -0.4161468}, sine = {0.4794255, 0.841471, 0.997495, -0.9092974};
  Floats first = cosine, second = sine;
  first.insert(first.end(), sine.begin(), sine.end());
  second.insert(second.end(), cosine.begin(), cosine.end());
  expectNear(runOp(runner, "heddle.rotary_embedding %a0, %a1, %a2",
                   {pattern(runner, {2, 1, 2, 4}, 7), runner.f32({2, 2, 2}, first), runner.f32({2, 2, 2}, second)},
                   {{2, 1, 2, 4}}),
             {-0.5586477, 1.306481, -0.0203171, 0.646612, 1.068232, 0.6819731, 0.9267578, -0.3121101,
              -0.5586477, -0.7816876, 0.0203171, -1.096113, 1.299922, 0.1888224, -0.6596998, -1.013334});
}

TEST(LinearAttention, FeatureMapsAndNorm) {
  Runner runner;
  Tensor q = pattern(runner, {2, 2}, 7), k = pattern(runner, {3, 2}, 5, 1), v = pattern(runner, {3, 2}, 3, 2);
  auto result = [&](std::string attributes) {
    return runOp(runner, "heddle.linear_attention %a0, %a1, %a2 {" + attributes + "}", {q, k, v}, {{2, 2}});
  };
  expectNear(result("scale = 0.5"), {-1.008695, -1.125234, -0.8775236, -0.1215135});
  expectNear(result("scale = 0.5, normalized"), {-0.2352257, -0.2624025, -0.3467661, -0.04801783});
  expectNear(result("feature_map = #heddle.feature_map<identity>"), {0.328125, -1.015625, -0.15625, 0.515625});
  expectNear(runOp(runner, "heddle.linear_attention %a0, %a1, %a2",
                   {pattern(runner, {2, 1, 2}, 7), pattern(runner, {2, 2, 2}, 5, 1), pattern(runner, {2, 2, 1}, 3, 2)},
                   {{2, 1, 1}}),
             {-2.276723, -1.097846});
}

TEST(RecurrentAttention, StatesAndGates) {
  Runner runner;
  Tensor q = pattern(runner, {1, 2, 2, 2}, 7), k = pattern(runner, {1, 2, 1, 2}, 5, 1);
  Tensor v = pattern(runner, {1, 2, 1, 2}, 3, 2);
  Tensor rows = pattern(runner, {1, 2, 1, 2}, 2), head = pattern(runner, {1, 2, 1, 1}, 2);
  Tensor beta = pattern(runner, {1, 2, 1, 1}, 4, 1), state = pattern(runner, {1, 1, 2, 2}, 6);
  auto expectBoth = [&](std::string text, llvm::ArrayRef<Tensor> more, Floats result, Floats last) {
    llvm::SmallVector<Tensor> operands = {q, k, v};
    llvm::append_range(operands, more);
    const int64_t resultShape[] = {1, 2, 2, 2}, stateShape[] = {1, 1, 2, 2};
    const llvm::ArrayRef<int64_t> shapes[] = {resultShape, stateShape};
    expectNear(runOp(runner, "heddle.recurrent_attention %a0, %a1, %a2" + text, operands, shapes, 0), result);
    expectNear(runOp(runner, "heddle.recurrent_attention %a0, %a1, %a2" + text, operands, shapes, 1), last);
  };
  expectBoth(" scale(0.5)", {}, {-0.3046875, 0, 0.1640625, 0, -0.09375, 0.78125, 0.0234375, -0.78125},
             {-0.1875, 1.5625, -0.1875, 0});
  expectBoth(" decay(%a3)", {rows}, {-0.609375, 0, 0.328125, 0, 0.299041, 1.5625, -0.6812993, -1.5625},
             {0.299041, 1.5625, -0.5096778, 0});
  expectBoth(" beta(%a3) state(%a4)", {beta, state},
             {0.9023438, 0.5039062, -0.4570312, -0.3867188, -1.6875, 1.6875, 1.722656, -0.8789062},
             {-1.6875, 1.6875, 0.046875, 1.078125});
  expectBoth(" decay(%a3) beta(%a4) state(%a5)", {head, beta, state},
             {0.7870695, 0.3056346, -0.4063106, -0.2345568, -1.318622, 1.02352, 1.395277, -0.5330836},
             {-1.318622, 1.02352, 0.1022066, 0.6539159});
}

TEST(Append, RowsAreWrittenAfterThePastOfEachSequence) {
  Runner runner;
  const char *text = R"mlir(
    func.func @main(%new: tensor<2x1x2x1xf32>, %state: tensor<2x1x3x1xbf16>, %past: tensor<2xi64>) -> tensor<2x1x3x1xbf16> {
      %0 = heddle.append %new into %state at %past : tensor<2x1x2x1xf32> into tensor<2x1x3x1xbf16>, tensor<2xi64>
      return %0 : tensor<2x1x3x1xbf16>
    })mlir";
  // The past of the first sequence is one row, the past of the second is empty; two rows are appended to each.
  // 1.00390625 is 1 + 2^-8, halfway between two bf16 numbers.
  Tensor input = runner.f32({2, 1, 2, 1}, Floats{1.00390625, 2, 3, 4});
  Tensor state({2, 1, 3, 1}, mlir::BFloat16Type::get(&runner.context), Floats{-1, -2, -3, -4, -5, -6});
  EXPECT_EQ(runner.floats(text, {input, state, runner.ints({2}, 64, {1, 0})}), (Floats{-1, 1, 2, 3, 4, -6}));
  EXPECT_TRUE(failed(runner.run(text, {input, state, runner.ints({2}, 64, {0, 2})})));
  EXPECT_NE(runner.errors.find("appends 2 rows to sequence 1 at row 2, but its capacity is 3 rows"), std::string::npos)
      << runner.errors;
}

TEST(Append, RowsAreQuantizedWithOneScaleEach) {
  Runner runner;
  const char *text = R"mlir(
    func.func @main(%new: tensor<1x1x4x3xf32>, %state: tensor<1x1x5x3xi8>, %scales: tensor<1x1x5x1xf32>, %past: tensor<1xi64>)
        -> (tensor<1x1x5x3xi8>, tensor<1x1x5x1xf32>) {
      %0:2 = heddle.append %new into %state scales(%scales : tensor<1x1x5x1xf32>) at %past
          : tensor<1x1x4x3xf32> into tensor<1x1x5x3xi8>, tensor<1xi64>
      return %0#0, %0#1 : tensor<1x1x5x3xi8>, tensor<1x1x5x1xf32>
    })mlir";
  const double nan = std::nan("");
  // The scale of a row is its largest magnitude, or 2^-100 if that is larger, divided by 127. The first row has the
  // scale 1. The second row is zeros. The third row contains a NaN, which affects no other row. The fourth row has the
  // scale 2: 3 / 2 and 5 / 2 are ties and are rounded to even.
  Tensor input = runner.f32({1, 1, 4, 3}, Floats{127, -3.4, 0.6, 0, -0.0, 0, 1, nan, 2, -254, 3, 5});
  Tensor state = runner.ints({1, 1, 5, 3}, 8, {7, 8, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  auto results = runner.run(text, {input, state, runner.f32({1, 1, 5, 1}, Floats{0.5, 9, 9, 9, 9}), runner.ints({1}, 64, {1})});
  ASSERT_TRUE(succeeded(results)) << runner.errors;
  llvm::ArrayRef<int64_t> integers = (*results)[0].ints();
  llvm::ArrayRef<double> scales = (*results)[1].floats();
  EXPECT_EQ(integers.take_front(9).vec(), (std::vector<int64_t>{7, 8, 9, 127, -3, 1, 0, 0, 0}));
  EXPECT_EQ(integers.take_back(3).vec(), (std::vector<int64_t>{-127, 2, 2}));
  EXPECT_EQ(scales[0], 0.5);
  EXPECT_EQ(scales[1], 1);
  EXPECT_EQ(scales[2], double(0x1p-100f / 127.0f));
  EXPECT_TRUE(std::isnan(scales[3]));
  EXPECT_EQ(scales[4], 2);
}

// Compiled code and the interpreter may round a number close to a tie in different directions. For comparisons call by
// call, the interpreter gets the state that compiled code stored (options.stored). It rounds a number close to a tie to
// the element of this state, and any other number to the nearest number that the type of the state can represent.
TEST(Append, TheStoredStateDecidesCloseToTies) {
  Runner runner;
  const char *text = R"mlir(
    func.func @main(%new: tensor<1x1x1x4xf32>, %state: tensor<1x1x1x4xbf16>, %past: tensor<1xi64>) -> tensor<1x1x1x4xbf16> {
      %0 = heddle.append %new into %state at %past : tensor<1x1x1x4xf32> into tensor<1x1x1x4xbf16>, tensor<1xi64>
      return %0 : tensor<1x1x1x4xbf16>
    })mlir";
  const char *integers = R"mlir(
    func.func @main(%new: tensor<1x1x1x4xf32>, %state: tensor<1x1x1x4xi8>, %scales: tensor<1x1x1x1xf32>, %past: tensor<1xi64>)
        -> tensor<1x1x1x4xi8> {
      %0:2 = heddle.append %new into %state scales(%scales : tensor<1x1x1x1xf32>) at %past
          : tensor<1x1x1x4xf32> into tensor<1x1x1x4xi8>, tensor<1xi64>
      return %0#0 : tensor<1x1x1x4xi8>
    })mlir";
  mlir::Type bf16 = mlir::BFloat16Type::get(&runner.context);
  Tensor before({1, 1, 1, 4}, bf16, Floats{0, 0, 0, 0}), past = runner.ints({1}, 64, {0});
  // A number slightly below 1 + 2^-8 is close to the tie between 1 and 1 + 2^-7. 1 + 2^-9 becomes 1, independent of the
  // stored state.
  Tensor input = runner.f32({1, 1, 1, 4}, Floats{1 + 0x1p-8 - 0x1p-20, 1 + 0x1p-8 - 0x1p-20, 1 + 0x1p-9, 1});
  Tensor storedFloats({1, 1, 1, 4}, bf16, Floats{1 + 0x1p-7, 1, 1 + 0x1p-7, 1});
  const Tensor *stored = &storedFloats;
  runner.options.stored = [&](mlir::Value) { return stored; };
  EXPECT_EQ(runner.floats(text, {input, before, past}), (Floats{1 + 0x1p-7, 1, 1, 1}));
  Tensor steps = runner.f32({1, 1, 1, 4}, Floats{127, 2.499, 2.499, 2.4});
  Tensor storedIntegers = runner.ints({1, 1, 1, 4}, 8, {127, 3, 2, 3});
  stored = &storedIntegers;
  Tensor zeros = runner.ints({1, 1, 1, 4}, 8, {0, 0, 0, 0});
  EXPECT_EQ(runner.integers(integers, {steps, zeros, runner.f32({1, 1, 1, 1}, Floats{0}), past}),
            (std::vector<int64_t>{127, 3, 2, 2}));
}
