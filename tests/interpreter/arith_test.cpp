//===- arith_test.cpp - scalars and elementwise ops -----------------------===//
//
// Tests how the interpreter evaluates operations of the dialects arith and math. By default, it computes floats in f64
// and does not round them; with Precision::F32, it rounds each result to f32 or to a narrower element type.
//
//===----------------------------------------------------------------------===//

#include "Run.h"
#include "interpreter/Rounding.h"

using Floats = std::vector<double>;
using Ints = std::vector<int64_t>;

TEST(Arith, FloatsOfTensors) {
  Runner runner;
  EXPECT_EQ(runner.floats(R"mlir(func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
    %0 = arith.mulf %a, %b : tensor<3xf32>
    %1 = arith.subf %0, %b : tensor<3xf32>
    %2 = arith.divf %1, %a : tensor<3xf32>
    return %2 : tensor<3xf32>
  })mlir", {runner.f32({3}, {1, 2, 4}), runner.f32({3}, {3, 5, -8})}),
            Floats({0, 2.5, -6}));
}

/// In f64, 1 + 2^-30 is exact; in f32, it is rounded to 1.
TEST(Arith, OnlyF32RoundsAfterEachOperation) {
  const char *text = R"mlir(func.func @main(%a: tensor<1xf32>) -> tensor<1xf32> {
    %one = arith.constant dense<1.0> : tensor<1xf32>
    %0 = arith.addf %a, %one : tensor<1xf32>
    %1 = arith.subf %0, %one : tensor<1xf32>
    return %1 : tensor<1xf32>
  })mlir";
  double tiny = std::ldexp(1.0, -30);
  Runner runner;
  EXPECT_EQ(runner.floats(text, {runner.f32({1}, {tiny})}), Floats({tiny}));
  runner.options.precision = heddle::Precision::F32;
  EXPECT_EQ(runner.floats(text, {runner.f32({1}, {tiny})}), Floats({0}));
}

/// With Precision::F32, sums of type f16 are rounded to f16, also within linalg.map.
TEST(Arith, NarrowFloatsAreRoundedAfterEachOperation) {
  Runner runner;
  mlir::Type half = mlir::Float16Type::get(&runner.context);
  auto sum = [&](double a, double b) {
    auto of = [&](double value) { return heddle::Tensor({1}, half, std::vector<double>{value}); };
    return runner.floats(R"mlir(func.func @main(%a: tensor<1xf16>, %b: tensor<1xf16>) -> tensor<1xf16> {
      %0 = arith.addf %a, %b : tensor<1xf16>
      %e = tensor.empty() : tensor<1xf16>
      %1 = linalg.map { arith.addf } ins(%0, %a : tensor<1xf16>, tensor<1xf16>) outs(%e : tensor<1xf16>)
      return %1 : tensor<1xf16>
    })mlir", {of(a), of(b)})[0];
  };
  EXPECT_EQ(sum(1024, 0.5), 2048.5);
  EXPECT_EQ(sum(65504, 0), 131008);
  runner.options.precision = heddle::Precision::F32;
  EXPECT_EQ(sum(1024, 0.5), 2048);
  EXPECT_EQ(sum(65504, 0), INFINITY);
}

/// Compares roundTo with LLVM's software floats, for significands near ties and a wide range of exponents.
TEST(Rounding, IsToNearestEven) {
  mlir::MLIRContext context;
  for (mlir::FloatType type : {mlir::FloatType(mlir::Float16Type::get(&context)), mlir::FloatType(mlir::BFloat16Type::get(&context)),
                               mlir::FloatType(mlir::Float32Type::get(&context))})
    for (double significand : {1.0, 1.5, 1 + 0x1p-8, 1 + 3 * 0x1p-8, 1 + 0x1p-11, 1 + 3 * 0x1p-11, 1 + 0x1p-24, 2 - 0x1p-12,
                               2 - 0x1p-9, 1 + 0x1p-11 + 0x1p-50, 1 + 0x1p-8 - 0x1p-50, 2 - 0x1p-52})
      for (int exponent = -160; exponent <= 140; ++exponent) {
        double value = std::ldexp(-significand, exponent);
        llvm::APFloat expected(value);
        bool losesInfo;
        expected.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
        expected.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
        EXPECT_EQ(heddle::roundTo(type, value), expected.convertToDouble()) << value;
      }
}

TEST(Arith, MaximumPropagatesNanButMaxnumDoesNot) {
  Runner runner;
  heddle::Tensor a = runner.f32({3}, {NAN, 1, 2}), b = runner.f32({3}, {0, NAN, 3});
  expectNear(runner.floats(R"mlir(func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
    %0 = arith.maximumf %a, %b : tensor<3xf32>
    return %0 : tensor<3xf32>
  })mlir", {a, b}), {NAN, NAN, 3});
  expectNear(runner.floats(R"mlir(func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
    %0 = arith.maxnumf %a, %b : tensor<3xf32>
    return %0 : tensor<3xf32>
  })mlir", {a, b}), {0, 1, 3});
}

TEST(Arith, ComparisonsWithNan) {
  Runner runner;
  heddle::Tensor a = runner.f32({3}, {NAN, 1, 2}), b = runner.f32({3}, {0, 1, 3});
  EXPECT_EQ(runner.integers(R"mlir(func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xi1> {
    %0 = arith.cmpf une, %a, %b : tensor<3xf32>
    return %0 : tensor<3xi1>
  })mlir", {a, b}), Ints({1, 0, 1}));
  EXPECT_EQ(runner.integers(R"mlir(func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xi1> {
    %0 = arith.cmpf ole, %a, %b : tensor<3xf32>
    return %0 : tensor<3xi1>
  })mlir", {a, b}), Ints({0, 1, 1}));
}

TEST(Arith, SelectBroadcastsAScalarCondition) {
  Runner runner;
  EXPECT_EQ(runner.floats(R"mlir(func.func @main(%c: i1, %a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
    %0 = arith.select %c, %a, %b : tensor<2xf32>
    return %0 : tensor<2xf32>
  })mlir", {runner.ints({}, 1, {0}), runner.f32({2}, {1, 2}), runner.f32({2}, {3, 4})}),
            Floats({3, 4}));
}

TEST(Arith, IntegersWrapToTheirWidth) {
  Runner runner;
  heddle::Tensor a = runner.ints({3}, 8, {127, -128, -7}), b = runner.ints({3}, 8, {1, -1, 2});
  auto binary = [&](std::string op) {
    return runner.integers("func.func @main(%a: tensor<3xi8>, %b: tensor<3xi8>) -> tensor<3xi8> {\n  %0 = arith." + op +
                               " %a, %b : tensor<3xi8>\n  return %0 : tensor<3xi8>\n}",
                           {a, b});
  };
  EXPECT_EQ(binary("addi"), Ints({-128, 127, -5}));
  EXPECT_EQ(binary("muli"), Ints({127, -128, -14}));
  EXPECT_EQ(binary("divsi"), Ints({127, -128, -3}));
  EXPECT_EQ(binary("remsi"), Ints({0, 0, -1}));
  EXPECT_EQ(binary("floordivsi"), Ints({127, -128, -4}));
  EXPECT_EQ(binary("divui"), Ints({127, 0, 124}));
  EXPECT_EQ(binary("maxsi"), Ints({127, -1, 2}));
  EXPECT_EQ(binary("maxui"), Ints({127, -1, -7}));
  EXPECT_EQ(binary("shrsi"), Ints({63, 0, -2})); // the shift amount -1 is 255, which exceeds the width
  EXPECT_EQ(binary("shrui"), Ints({63, 0, 62}));
}

// As unsigned numbers, 2^63 / (2^64 - 1) is 0. As signed numbers, the quotient would be 2^63.
TEST(Arith, OnlySignedDivisionsOverflow) {
  auto divided = [](Runner &runner, const char *op) {
    return runner.run("func.func @main(%a: tensor<i64>, %b: tensor<i64>) -> tensor<i64> {\n  %0 = arith." +
                          std::string(op) + " %a, %b : tensor<i64>\n  return %0 : tensor<i64>\n}",
                      {runner.ints({}, 64, {INT64_MIN}), runner.ints({}, 64, {-1})});
  };
  for (auto [op, expected] :
       {std::pair("divui", int64_t(0)), std::pair("ceildivui", int64_t(1)), std::pair("remui", INT64_MIN)}) {
    Runner runner;
    auto results = divided(runner, op);
    ASSERT_TRUE(succeeded(results)) << runner.errors;
    EXPECT_EQ(results->front().ints()[0], expected) << op;
  }
  for (const char *op : {"divsi", "remsi", "floordivsi", "ceildivsi"}) {
    Runner runner;
    EXPECT_TRUE(failed(divided(runner, op)));
    EXPECT_EQ(runner.errors, "'arith." + std::string(op) + "' op overflows\n");
  }
}

TEST(Arith, ExtendedProductsHaveTwiceTheWidth) {
  Runner runner;
  auto product = [&](unsigned width, int64_t a, int64_t b) {
    std::string type = "tensor<i" + std::to_string(width) + ">";
    auto results = runner.run("func.func @main(%a: " + type + ", %b: " + type + ") -> (" + type + ", " + type + ") {\n" +
                                  "  %low, %high = arith.mului_extended %a, %b : " + type +
                                  "\n  return %low, %high : " + type + ", " + type + "\n}",
                              {runner.ints({}, width, {a}), runner.ints({}, width, {b})});
    return Ints({(*results)[0].ints()[0], (*results)[1].ints()[0]});
  };
  EXPECT_EQ(product(8, -1, -1), Ints({1, -2})); // 255 x 255
  EXPECT_EQ(product(32, 1 << 30, 12), Ints({0, 3}));
  EXPECT_EQ(product(64, -1, 3), Ints({-3, 2}));
}

TEST(Arith, DivisionByZeroIsAnError) {
  Runner runner;
  EXPECT_TRUE(failed(runner.run(R"mlir(func.func @main(%a: tensor<1xi64>) -> tensor<1xi64> {
    %0 = arith.divsi %a, %a : tensor<1xi64>
    return %0 : tensor<1xi64>
  })mlir", {runner.ints({1}, 64, {0})})));
  EXPECT_EQ(runner.errors, "'arith.divsi' op divides by zero\n");
}

TEST(Arith, ConversionsOfBooleans) {
  Runner runner;
  heddle::Tensor mask = runner.ints({2}, 1, {1, 0});
  EXPECT_EQ(runner.floats(R"mlir(func.func @main(%a: tensor<2xi1>) -> tensor<2xf32> {
    %0 = arith.uitofp %a : tensor<2xi1> to tensor<2xf32>
    return %0 : tensor<2xf32>
  })mlir", {mask}), Floats({1, 0}));
  EXPECT_EQ(runner.integers(R"mlir(func.func @main(%a: tensor<2xi1>) -> tensor<2xi64> {
    %0 = arith.extsi %a : tensor<2xi1> to tensor<2xi64>
    return %0 : tensor<2xi64>
  })mlir", {mask}), Ints({-1, 0}));
  EXPECT_EQ(runner.integers(R"mlir(func.func @main(%a: tensor<2xi1>) -> tensor<2xi64> {
    %0 = arith.extui %a : tensor<2xi1> to tensor<2xi64>
    return %0 : tensor<2xi64>
  })mlir", {mask}), Ints({1, 0}));
}

TEST(Arith, FloatToIntegerTruncatesAndSaturates) {
  Runner runner;
  EXPECT_EQ(runner.integers(R"mlir(func.func @main(%a: tensor<5xf32>) -> tensor<5xi32> {
    %0 = arith.fptosi %a : tensor<5xf32> to tensor<5xi32>
    return %0 : tensor<5xi32>
  })mlir", {runner.f32({5}, {1.9, -1.9, 1e20, -1e20, NAN})}),
            Ints({1, -1, 2147483647, -2147483648LL, 0}));
}

TEST(Math, Functions) {
  Runner runner;
  auto unary = [&](std::string op, Floats x) {
    return runner.floats("func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  %0 = math." + op +
                             " %a : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}",
                         {runner.f32({2}, x)});
  };
  expectNear(unary("exp", {1, -2}), {2.718281828, 0.1353352832});
  expectNear(unary("tanh", {0.5, -1}), {0.4621171573, -0.7615941560});
  expectNear(unary("erf", {0.5, -1}), {0.5204998778, -0.8427007929});
  expectNear(unary("rsqrt", {4, 0}), {0.5, INFINITY});
  expectNear(unary("log", {2, -1}), {0.6931471806, NAN});
  expectNear(unary("roundeven", {0.5, 1.5}), {0, 2});
  expectNear(unary("absf", {-3, 3}), {3, 3});
}
