//===- rounding_test.cpp - row rounding, dequantize and dot ---------------===//
//
// Tests of the interpreter for three operations on quantized numbers: linear layers that round the rows of their input
// (row rounding), heddle.dequantize, and heddle.dot. Expected values were computed with NumPy, scales in float32 and
// products in float64.
//
//===----------------------------------------------------------------------===//

#include "Pattern.h"

using heddle::Tensor;
using Floats = std::vector<double>;

/// Returns the result of a linear layer that rounds two rows of six elements and multiplies them by the identity, that
/// is, the rounded rows. `rounding` is the text of the attribute #heddle.row_rounding. If `rows` is empty, the rows are
/// [-0.5 1.25 0.25 -0.75 1 0] and [-1 0.75 -0.25 -1.25 0.5 -0.5].
static Floats rounded(const std::string &rounding, Floats rows = {}, heddle::Precision precision = heddle::Precision::F64) {
  Runner runner;
  runner.options.precision = precision;
  Tensor x = pattern(runner, {2, 6}, 7), one = runner.f32({6, 6}, Floats(36));
  if (!rows.empty())
    llvm::copy(rows, x.mutableFloats().begin());
  for (int64_t i = 0; i < 6; ++i)
    one.mutableFloats()[i * 7] = 1;
  return runOp(runner, "heddle.linear %a0, %a1 rounding(<" + rounding + ">)", {x, one}, {{2, 6}});
}

/// Expects that `rounding` changes the default rows of rounded() to `expected`.
static void expectRounded(const std::string &rounding, Floats expected) {
  Floats found = rounded(rounding);
  ASSERT_EQ(found.size(), expected.size());
  for (auto [a, b] : llvm::zip_equal(found, expected))
    EXPECT_NEAR(a, b, 1e-12) << rounding;
}

/// Each row has its own scale and, with ui8, its own zero point.
TEST(RowRounding, Bytes) {
  expectRounded("ui8", {-0.501960813999176, 1.247058897279203, 0.250980406999588, -0.752941220998764, 0.9960784902796149, 0.0,
                        -0.9960784902796149, 0.752941220998764, -0.250980406999588, -1.247058897279203, 0.501960813999176,
                        -0.501960813999176});
  expectRounded("i8", {-0.5019685020670295, 1.2499999953433871, 0.24606299120932817, -0.7480314932763577, 1.003937004134059,
                       0.0, -1.003937004134059, 0.7480314932763577, -0.24606299120932817, -1.2499999953433871,
                       0.5019685020670295, -0.5019685020670295});
}

/// Each block of 4 elements of a row has its own scale. The last block has 2 elements.
TEST(RowRounding, Blocks) {
  expectRounded("i8 x 4", {-0.5019685020670295, 1.2499999953433871, 0.24606299120932817, -0.7480314932763577,
                           0.9999999962747097, 0.0, -1.003937004134059, 0.7480314932763577, -0.24606299120932817,
                           -1.2499999953433871, 0.49999999813735485, -0.49999999813735485});
}

/// Columns 1 and 4 remain exact, and the scale of a row is computed without them.
TEST(RowRounding, OutlierChannelsAreNotRounded) {
  expectRounded("ui8 outliers [1, 4]",
                {-0.49803924513980746, 1.25, 0.250980406999588, -0.7490196521393955, 1.0, 0.0, -1.0000000353902578,
                 0.75, -0.25000000884756446, -1.2500000442378223, 0.5, -0.5000000176951289});
}

/// The indices of outlier channels may be an attribute or a tensor. In a tensor, they are validated when the layer is
/// interpreted: they must ascend and be less than the number of columns.
TEST(RowRounding, OutlierChannelsMayBeAnOperand) {
  Runner runner;
  Tensor x = pattern(runner, {2, 6}, 7), w = pattern(runner, {6, 3}, 5);
  auto named = runOp(runner, "heddle.linear %a0, %a1 rounding(<ui8 outliers [1, 4]>)", {x, w}, {{2, 3}});
  auto ofData = [&](std::vector<int64_t> columns) {
    return runner.run("func.func @main(%x: tensor<2x6xf32>, %w: tensor<6x3xf32>, %c: tensor<2xi32>) -> tensor<2x3xf32> {\n"
                      "%0 = heddle.linear %x, %w rounding(<ui8>) outlier_channels(%c)"
                      " : (tensor<2x6xf32>, tensor<6x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>\n"
                      "return %0 : tensor<2x3xf32>\n}",
                      {x, w, runner.ints({2}, 32, columns)});
  };
  auto found = ofData({1, 4});
  ASSERT_TRUE(succeeded(found)) << runner.errors;
  EXPECT_EQ(named, Floats((*found)[0].floats().vec()));
  EXPECT_TRUE(failed(ofData({1, 6})));
  EXPECT_NE(runner.errors.find("outlier_channels must ascend and be columns of the input, found 6"), std::string::npos)
      << runner.errors;
  EXPECT_TRUE(failed(ofData({4, 4})));
}

TEST(RowRounding, OneScaleForAllRows) {
  expectRounded("ui8 per_tensor = true", {-0.5000000176951289, 1.245098083280027, 0.25490196980535984, -0.745098065584898,
                                           1.0000000353902578, 0.0, -1.0000000353902578, 0.745098065584898,
                                           -0.25490196980535984, -1.245098083280027, 0.5000000176951289,
                                           -0.5000000176951289});
}

TEST(RowRounding, ConstantScaleAndZeroPoint) {
  expectRounded("ui8 scale = 3.000000e-02 : f32 zero = 100",
                {-0.5099999886006117, 1.2599999718368053, 0.23999999463558197, -0.7499999832361937, 0.9899999778717756,
                 0.0, -0.9899999778717756, 0.7499999832361937, -0.23999999463558197, -1.2599999718368053,
                 0.5099999886006117, -0.5099999886006117});
}

/// Elements are rounded to the nearest bf16, ties to even.
TEST(RowRounding, NarrowFloats) {
  Floats rows = {1 + 1.0 / 256, 1 + 3.0 / 256, 3, -1 - 1.0 / 512, 0, 1e-3, 0, 0, 0, 0, 0, 0};
  Floats found = rounded("bf16", rows);
  EXPECT_EQ((Floats{found[0], found[1], found[2], found[3]}), (Floats{1, 1 + 1.0 / 64, 3, -1}));
}

/// If the interpreter computes in f32, denormal factors and products become zero, as in CPU instructions that multiply
/// bf16.
TEST(RowRounding, DenormalsBecomeZeroInF32) {
  Floats rows = {1, 0x1p-127, 0x1p-126, 0, 0, 0, 0x1p-120, 0, 0, 0, 0, 0};
  Floats exact = rounded("bf16", rows), narrow = rounded("bf16", rows, heddle::Precision::F32);
  EXPECT_EQ((Floats{exact[0], exact[1], exact[2], exact[6]}), (Floats{1, 0x1p-127, 0x1p-126, 0x1p-120}));
  // 2^-126 is not denormal, but becomes zero, too: compiled code may replace each of the six products of a sum by zero,
  // and the interpreter assumes the largest error that this may cause.
  EXPECT_EQ((Floats{narrow[0], narrow[1], narrow[2], narrow[6]}), (Floats{1, 0, 0, 0x1p-120}));
}

TEST(RowRounding, ARowThatIsNotFiniteIsNan) {
  for (double bad : {std::nan(""), double(INFINITY), -double(INFINITY)}) {
    Floats rows = {1, bad, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6};
    for (const char *rounding : {"ui8", "i8"}) {
      Floats found = rounded(rounding, rows);
      for (int i = 0; i < 6; ++i) {
        EXPECT_TRUE(std::isnan(found[i])) << rounding;
        EXPECT_FALSE(std::isnan(found[6 + i])) << rounding;
      }
    }
  }
  // The difference between the largest and the smallest element overflows f32.
  EXPECT_TRUE(std::isnan(rounded("ui8", {3e38, -3e38, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})[2]));
  EXPECT_FALSE(std::isnan(rounded("i8", {3e38, -3e38, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})[2]));
}

TEST(RowRounding, ARowOfZerosIsZeros) {
  EXPECT_EQ(rounded("ui8", Floats(12)), Floats(12));
  EXPECT_EQ(rounded("i8 x 4", Floats(12)), Floats(12));
}

// Compiled code computes in f32 and may round a number close to a tie in either direction. The accepted difference from
// the reference is computed from the difference between the interpreter in f32 and in f64. So in f32, the interpreter
// rounds such a number in the other direction.
TEST(RowRounding, NumbersCloseToTiesAreRoundedTheOtherWayInF32) {
  Floats rows = {255, 0.5001, 1.25, 3, 4, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(rounded("ui8", rows)[1], 1);
  EXPECT_EQ(rounded("ui8", rows, heddle::Precision::F32)[1], 0);
  EXPECT_EQ(rounded("ui8", rows, heddle::Precision::F32)[2], 1);
}

TEST(RowRounding, NarrowFloatsCloseToTiesAreRoundedTheOtherWayInF32) {
  // rows[1] is close to the tie between 1 and 1 + 2^-7, and rows[2] is far from it. rows[3] is tiny compared with the
  // largest element of its row. rows[4] is a bf16 number. rows[6] is close to the tie between the largest bf16 number
  // and infinity.
  double next = 1 + 1.0 / 256 - 0x1p-22;
  Floats rows = {2, next, 1 + 1.0 / 512, 0x1p-20 + 0x1p-29, 0x1p-30, 0, 3.39e38, next, 0, 0, 0, 0};
  Floats exact = rounded("bf16", rows), narrow = rounded("bf16", rows, heddle::Precision::F32);
  EXPECT_EQ((Floats{exact[1], exact[2], exact[4]}), (Floats{1, 1, 0x1p-30}));
  EXPECT_EQ((Floats{narrow[1], narrow[2], narrow[4]}), (Floats{1 + 1.0 / 128, 1, 0x1p-30}));
  EXPECT_NEAR(narrow[3], rows[3], 0x1p-17);
  EXPECT_NE(narrow[3], exact[3]);
  EXPECT_TRUE(std::isfinite(narrow[6]));
}

/// Returns the result of heddle.dequantize for the integers -6 to 5 in the shape [4, 3], in blocks of 3 rows: the last
/// block has one row. `operands` and `rest` are the texts of the operation before and after `block [3, 1]`. They may
/// name the zero points %z, the minima %m, the outliers %e and the row index %n of the outliers, which are constants.
static Floats dequantized(const std::string &operands, const std::string &rest) {
  Runner runner;
  std::vector<int64_t> stored(12);
  std::iota(stored.begin(), stored.end(), -6);
  return runner.floats(R"mlir(
    func.func @main(%q: tensor<4x3xi8>) -> tensor<4x3xf32> {
      %s = arith.constant dense<[[0.5, 1.0, 2.0], [4.0, 8.0, 16.0]]> : tensor<2x3xf32>
      %z = arith.constant dense<[[1, 0, -1], [2, 3, 4]]> : tensor<2x3xi8>
      %m = arith.constant dense<[[0.25, 0.5, 0.75], [1.0, 2.0, 3.0]]> : tensor<2x3xf32>
      %e = arith.constant dense<[[100.0, 200.0, 300.0]]> : tensor<1x3xf32>
      %n = arith.constant dense<[1]> : tensor<1xi32>
      %0 = heddle.dequantize %q scales(%s : tensor<2x3xf32>) )mlir" + operands + " block [3, 1] " + rest + R"mlir(
        : tensor<4x3xi8> -> tensor<4x3xf32>
      return %0 : tensor<4x3xf32>
    })mlir", {runner.ints({4, 3}, 8, stored)});
}

TEST(Dequantize, Blocks) {
  EXPECT_EQ(dequantized("", ""), (Floats{-3, -5, -8, -1.5, -2, -2, 0, 1, 4, 12, 32, 80}));
  EXPECT_EQ(dequantized("zero_points(%z : tensor<2x3xi8>)", ""),
            (Floats{-3.5, -5, -6, -2, -2, 0, -0.5, 1, 6, 4, 8, 16}));
  EXPECT_EQ(dequantized("minima(%m : tensor<2x3xf32>)", ""),
            (Floats{-2.75, -4.5, -7.25, -1.25, -1.5, -1.25, 0.25, 1.5, 4.75, 13, 34, 83}));
  EXPECT_EQ(dequantized("outliers(%e : tensor<1x3xf32>)", "outlier_rows [1]"),
            (Floats{-3, -5, -8, 100, 200, 300, 0, 1, 4, 12, 32, 80}));
  EXPECT_EQ(dequantized("outliers(%e : tensor<1x3xf32>) outlier_indices(%n : tensor<1xi32>)", ""),
            (Floats{-3, -5, -8, 100, 200, 300, 0, 1, 4, 12, 32, 80}));
}

/// heddle.dot adds sums of four products of bytes, or of two products of a 16-bit and an 8-bit integer, to each i32.
TEST(Dot, BytesAndWords) {
  Runner runner;
  std::vector<int64_t> a = {-1, 2, 3, -128, 1, 1, 1, 1}, b = {1, 2, 3, 4, -5, 127, -128, 2};
  auto dot = [&](std::string how) {
    auto results = runner.run("func.func @main(%a: vector<8xi8>, %b: vector<8xi8>, %c: vector<2xi32>) -> vector<2xi32> {\n"
                              "%0 = heddle.dot %a, %b, %c " + how + " : vector<8xi8>, vector<2xi32>\n"
                              "return %0 : vector<2xi32>\n}",
                              {runner.ints({8}, 8, a), runner.ints({8}, 8, b), runner.ints({2}, 32, {1000, 2147483647})});
    EXPECT_TRUE(succeeded(results)) << runner.errors;
    return (*results)[0].ints().vec();
  };
  EXPECT_EQ(dot(""), (std::vector<int64_t>{1000 - 1 + 4 + 9 - 512, 2147483647 - 4}));
  EXPECT_EQ(dot("unsigned"), (std::vector<int64_t>{1000 + 255 + 4 + 9 + 512, 2147483647 - 4}));
  auto words = runner.run("func.func @main(%a: vector<4xi16>, %b: vector<4xi8>, %c: vector<2xi32>) -> vector<2xi32> {\n"
                          "%0 = heddle.dot %a, %b, %c : vector<4xi16>, vector<2xi32>\n"
                          "return %0 : vector<2xi32>\n}",
                          {runner.ints({4}, 16, {-255, 2, 32767, -32768}), runner.ints({4}, 8, {127, -128, 127, -128}),
                           runner.ints({2}, 32, {1000, -1})});
  ASSERT_TRUE(succeeded(words)) << runner.errors;
  EXPECT_EQ((*words)[0].ints().vec(), (std::vector<int64_t>{1000 - 255 * 127 - 256, 32767 * 127 + 32768 * 128 - 1}));
  b[6] = 127; // the second sum exceeds 2^31 - 1 and wraps around
  EXPECT_EQ(dot("")[1], int64_t(-2147483648) + 250);
}
