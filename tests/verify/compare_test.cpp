//===- compare_test.cpp - comparison of outputs ---------------------------===//
//
// compare(name, actual, wide, narrow) compares an output with the results of the
// interpreter in f64 (wide). The bound follows from the error of the interpreter
// when it computes in f32 (narrow).
//
//===----------------------------------------------------------------------===//

#include "Run.h"
#include "heddle/Verify.h"

using namespace heddle;
using Floats = std::vector<double>;
using Ints = std::vector<int64_t>;

TEST(Compare, TheBoundIsFourTimesTheErrorInF32PlusAShareOfTheMagnitude) {
  Runner runner;
  Tensor wide = runner.f32({2}, {10, -20}), narrow = runner.f32({2}, {10.001, -20});
  Comparison result = compare("y", runner.f32({2}, {10.004, -20}), wide, narrow);
  EXPECT_TRUE(result.ok);
  EXPECT_NEAR(result.bound, 0.00402, 1e-12);
  EXPECT_NEAR(result.error, 0.004, 1e-12);
  EXPECT_EQ(result.text(), "y [2] f32 against interpreter: max abs error 0.004, "
                           "bound 0.00402 (4 x 0.001 of f32 interpretation + 1e-6 x 20): ok");
  result = compare("y", runner.f32({2}, {10, -20.0041}), wide, narrow);
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.text(), "y [2] f32 against interpreter: max abs error 0.0041 (-20.0041, expected -20) at [1], "
                           "bound 0.00402 (4 x 0.001 of f32 interpretation + 1e-6 x 20): FAIL");
}

TEST(Compare, TheBoundOfOtherTypesIncludesTheirLastDigit) {
  Runner runner;
  auto of = [&](mlir::Type type, double value) { return Tensor({1}, type, std::vector<double>{value}); };
  auto textOf = [&](mlir::Type type, double actual) {
    return compare("y", of(type, actual), of(type, 16), of(type, 16.25)).text();
  };
  EXPECT_EQ(textOf(mlir::Float16Type::get(&runner.context), 17),
            "y [1] f16 against interpreter: max abs error 1, bound 1.02 (4 x 0.25 of f16 interpretation + 2^-10 x 16): ok");
  EXPECT_EQ(textOf(mlir::BFloat16Type::get(&runner.context), 17.125),
            "y [1] bf16 against interpreter: max abs error 1.12, "
            "bound 1.12 (4 x 0.25 of bf16 interpretation + 2^-7 x 16): ok");
  EXPECT_EQ(textOf(mlir::Float64Type::get(&runner.context), 16 + 0x1p-28),
            "y [1] f64 against interpreter: max abs error 3.73e-09 (16, expected 16) at [0], "
            "bound 1.86e-09 (2^-29 x 4 x 0.25 of f32 interpretation + 2^-29 x 1e-6 x 16): FAIL");
}

// 65520 is halfway between the largest f16, 65504, and the next power of two, and rounds to infinity.
TEST(Compare, NumbersBeyondTheLargestF16AreInfinite) {
  Runner runner;
  mlir::Type type = mlir::Float16Type::get(&runner.context);
  auto of = [&](double value) { return Tensor({1}, type, std::vector<double>{value}); };
  EXPECT_TRUE(compare("y", of(INFINITY), of(65520), of(INFINITY)).ok);
  EXPECT_FALSE(compare("y", of(INFINITY), of(65519), of(65504)).ok);
}

TEST(Compare, NanMustBeAtTheSamePositions) {
  Runner runner;
  Tensor wide = runner.f32({2, 2}, {1, NAN, INFINITY, 0});
  EXPECT_TRUE(compare("y", wide, wide, wide).ok);
  EXPECT_FALSE(compare("y", runner.f32({2, 2}, {NAN, NAN, INFINITY, 0}), wide, wide).ok);
  EXPECT_FALSE(compare("y", runner.f32({2, 2}, {1, 1, INFINITY, 0}), wide, wide).ok);
  EXPECT_FALSE(compare("y", runner.f32({2, 2}, {1, NAN, -INFINITY, 0}), wide, wide).ok);
  EXPECT_EQ(compare("y", runner.f32({2, 2}, {1, NAN, INFINITY, NAN}), wide, wide).text(),
            "y [2, 2] f32 against interpreter: NaN or infinity does not match at [1, 1]: nan, expected 0: FAIL");
}

// `where` is the element with the largest error, and `first` is the first element whose error exceeds the bound.
TEST(Compare, TheFirstElementThatDiffersNeedNotDifferMost) {
  Runner runner;
  Tensor wide = runner.f32({2, 2}, {1, 2, 3, 4});
  Comparison result = compare("y", runner.f32({2, 2}, {1, 2.5, 3, 5}), wide, wide);
  EXPECT_EQ(llvm::ArrayRef(result.where), llvm::ArrayRef<int64_t>({1, 1}));
  ASSERT_TRUE(result.first);
  EXPECT_EQ(llvm::ArrayRef(result.first->where), llvm::ArrayRef<int64_t>({0, 1}));
  EXPECT_EQ(result.first->actual, 2.5);
  EXPECT_EQ(result.first->reference, 2);
  EXPECT_EQ(compare("y", runner.f32({2, 2}, {9, 2, 3, NAN}), wide, wide).first->actual, 9);
  EXPECT_TRUE(std::isnan(compare("y", runner.f32({2, 2}, {1, NAN, 3, 9}), wide, wide).first->actual));
  EXPECT_FALSE(compare("y", wide, wide, wide).first);
  Tensor ints = runner.ints({3}, 32, {1, 2, 3});
  EXPECT_EQ(compare("y", runner.ints({3}, 32, {1, 4, 9}), ints, ints).first->actual, 4);
}

TEST(Compare, AnInfinityOfTheF32ReferenceDoesNotWidenTheBound) {
  Runner runner;
  Tensor wide = runner.f32({2}, {1, 2}), narrow = runner.f32({2}, {INFINITY, 2});
  EXPECT_FALSE(compare("y", runner.f32({2}, {1.1, 2}), wide, narrow).ok);
}

TEST(Compare, NumbersBeyondTheLargestF32AreInfinite) {
  Runner runner;
  Tensor wide = runner.f32({1}, {1e39}), narrow = runner.f32({1}, {INFINITY});
  EXPECT_TRUE(compare("y", runner.f32({1}, {INFINITY}), wide, narrow).ok);
}

TEST(Compare, NumbersBeyondF32DoNotWidenTheBound) {
  Runner runner;
  Tensor wide = runner.f32({2}, {1e130, 2}), narrow = runner.f32({2}, {INFINITY, 2});
  EXPECT_FALSE(compare("y", runner.f32({2}, {INFINITY, 2.5}), wide, narrow).ok);
  EXPECT_TRUE(compare("y", runner.f32({2}, {INFINITY, 2}), wide, narrow).ok);
}

TEST(Compare, IntegersAreExact) {
  Runner runner;
  Tensor wide = runner.ints({3}, 64, {1, 2, (int64_t(1) << 60)});
  EXPECT_TRUE(compare("y", wide, wide, wide).ok);
  Comparison result = compare("y", runner.ints({3}, 64, {1, 2, (int64_t(1) << 60) + 1}), wide, wide);
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(compare("y", runner.ints({3}, 64, {1, 5, int64_t(1) << 60}), wide, wide).text(),
            "y [3] i64 against interpreter: max abs error 3 (5, expected 2) at [1], bound 0 (exact): FAIL");
}

TEST(Compare, ShapesMustAgree) {
  Runner runner;
  Tensor wide = runner.f32({2}, {1, 2});
  EXPECT_EQ(compare("y", runner.f32({1, 2}, {1, 2}), wide, wide).text(),
            "y [1, 2] f32 against interpreter: the result is tensor<1x2xf32>, but interpreter has tensor<2xf32>: FAIL");
}

// Expected results from a file may differ by the bound of a comparison with the interpreter: 4 x 0.01 + 1e-6 x 10.
TEST(Compare, ExpectedResultsHaveTheBoundOfTheInterpreter) {
  Runner runner;
  Tensor wide = runner.f32({1}, {10}), narrow = runner.f32({1}, {10.01});
  EXPECT_TRUE(compareExpected("y", runner.f32({1}, {10.1}), runner.f32({1}, {10.07}), wide, narrow).ok);
  EXPECT_FALSE(compareExpected("y", runner.f32({1}, {10.1}), runner.f32({1}, {10}), wide, narrow).ok);
}

// 2^-30 + 1 - 1 is 2^-30 in f64 and 0 in f32.
TEST(Reference, BothPrecisions) {
  Runner runner;
  runner.module = mlir::parseSourceString<mlir::ModuleOp>(R"mlir(func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
    %0 = heddle.weight "w" : tensor<1xf32>
    %1 = arith.addf %x, %0 : tensor<1xf32>
    %2 = arith.subf %1, %0 : tensor<1xf32>
    return %2 : tensor<1xf32>
  })mlir", &runner.context);
  WeightStore store;
  float one = 1;
  store.add("w", mlir::RankedTensorType::get({1}, mlir::Float32Type::get(&runner.context)),
            std::vector<char>(reinterpret_cast<char *>(&one), reinterpret_cast<char *>(&one) + 4));
  double tiny = std::ldexp(1.0, -30);
  auto reference = computeReference(runner.module->lookupSymbol<mlir::func::FuncOp>("main"), {runner.f32({1}, {tiny})},
                                    weightsFrom(store));
  ASSERT_TRUE(succeeded(reference)) << runner.errors;
  EXPECT_EQ(reference->wide[0].floats().vec(), Floats({tiny}));
  EXPECT_EQ(reference->narrow[0].floats().vec(), Floats({0}));
}
