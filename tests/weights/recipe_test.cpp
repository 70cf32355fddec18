//===- recipe_test.cpp ----------------------------------------------------===//

#include "../import/Diagnostics.h"

#include "heddle/Recipe.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"

#include <cstring>
#include <numeric>

using namespace heddle;
using namespace mlir;

namespace {

template <typename T>
std::vector<char> bytesOf(std::vector<T> values) {
  std::vector<char> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <typename T>
std::vector<T> valuesOf(const std::vector<char> &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!bytes.empty())
    std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

struct Recipe : testing::Test {
  TestContext context;
  WeightStore store;
  OwningOpRef<ModuleOp> module;

  Recipe() {
    context.loadDialect<HeddleDialect>();
    Builder b(&context);
    std::vector<float> values(6);
    std::iota(values.begin(), values.end(), 0.0f);
    store.add("m", RankedTensorType::get({2, 3}, b.getF32Type()), bytesOf(values)); // 0 1 2 / 3 4 5
    store.add("n", RankedTensorType::get({2, 1}, b.getF32Type()), bytesOf<float>({8, 9}));
    store.add("h", RankedTensorType::get({3}, b.getF16Type()), bytesOf<uint16_t>({0x3c00, 0xc000, 0x0001}));
    store.add("i", RankedTensorType::get({2}, b.getI64Type()), bytesOf<int64_t>({1, 2}));
  }

  /// Evaluates `heddle.weight <text>`.
  FailureOr<std::vector<char>> evaluate(const std::string &text) {
    // Not verified: the recipe is refused for itself, whatever a verifier would say before.
    module = parseSourceString<ModuleOp>("%0 = heddle.weight " + text, ParserConfig(&context, /*verifyAfterParse=*/false));
    if (!module)
      return failure();
    return evaluateRecipe(*module->getOps<WeightOp>().begin(), store);
  }

  std::vector<float> floats(const std::string &text) {
    FailureOr<std::vector<char>> bytes = evaluate(text);
    EXPECT_TRUE(succeeded(bytes)) << context.take();
    return succeeded(bytes) ? valuesOf<float>(*bytes) : std::vector<float>();
  }

  std::string errorOf(const std::string &text) {
    EXPECT_TRUE(failed(evaluate(text)));
    return context.take();
  }
};

using Floats = std::vector<float>;

TEST_F(Recipe, NoStepsCopy) { EXPECT_EQ(floats("\"m\" : tensor<2x3xf32>"), (Floats{0, 1, 2, 3, 4, 5})); }

TEST_F(Recipe, Transpose) {
  EXPECT_EQ(floats("\"m\" via [#heddle.transpose<[1, 0]>] : tensor<3x2xf32>"), (Floats{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(floats("\"m\" via [#heddle.reshape<[1, 2, 3]>, #heddle.transpose<[2, 0, 1]>] : tensor<3x1x2xf32>"),
            (Floats{0, 3, 1, 4, 2, 5}));
}

TEST_F(Recipe, Slice) {
  EXPECT_EQ(floats("\"m\" via [#heddle.slice<[0, 1], [2, 2]>] : tensor<2x2xf32>"), (Floats{1, 2, 4, 5}));
  EXPECT_EQ(floats("\"m\" via [#heddle.slice<[2, 0], [0, 3]>] : tensor<0x3xf32>"), Floats());
}

TEST_F(Recipe, Pack) {
  EXPECT_EQ(floats("\"m\" via [#heddle.pack<2>] : tensor<2x2x2xf32>"), (Floats{0, 1, 3, 4, 2, 0, 5, 0}));
}

TEST_F(Recipe, PackAbreast) {
  // Columns 0 and 2 of each row of two, then 1 and none.
  EXPECT_EQ(floats("\"m\" via [#heddle.pack<1 x 2>] : tensor<2x2x2x1xf32>"), (Floats{0, 3, 2, 5, 1, 4, 0, 0}));
  EXPECT_EQ(floats("\"m\" via [#heddle.pack<2 x 3>] : tensor<3x1x2x2xf32>"),
            (Floats{0, 1, 3, 4, 2, 0, 5, 0, 0, 0, 0, 0}));
}

TEST_F(Recipe, Concat) {
  EXPECT_EQ(floats("\"m\" via [#heddle.concat<1, [[\"n\", []], [\"m\", [#heddle.slice<[0, 0], [2, 1]>]]]>] : "
                   "tensor<2x5xf32>"),
            (Floats{0, 1, 2, 8, 0, 3, 4, 5, 9, 3}));
  EXPECT_EQ(floats("\"m\" via [#heddle.concat<0, [[\"m\", []]]>] : tensor<4x3xf32>"),
            (Floats{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5}));
}

TEST_F(Recipe, CastOfEveryExponentRoundsAsAPFloat) {
  std::vector<float> values;
  for (uint32_t exponent = 0; exponent < 512; ++exponent) // and sign
    for (uint32_t digits : {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x2fffu, 0x3000u, 0x3001u, 0x7fffu, 0x8000u, 0x8001u,
                            0x17fffu, 0x18000u, 0x18001u, 0x400000u, 0x7fefffu, 0x7ff000u, 0x7f7fffu, 0x7fffffu})
      values.push_back(llvm::bit_cast<float>(exponent << 23 | digits));
  std::string size = std::to_string(values.size());
  store.add("f", RankedTensorType::get({int64_t(values.size())}, Float32Type::get(&context)), bytesOf(values));
  for (auto [name, semantics] :
       {std::make_pair("f16", &llvm::APFloat::IEEEhalf()), {"bf16", &llvm::APFloat::BFloat()}}) {
    std::string type = name;
    FailureOr<std::vector<char>> bytes =
        evaluate("\"f\" via [#heddle.cast<" + type + ">] : tensor<" + size + "x" + type + ">");
    ASSERT_TRUE(succeeded(bytes)) << context.take();
    std::vector<uint16_t> rounded = valuesOf<uint16_t>(*bytes);
    for (auto [value, bits] : llvm::zip_equal(values, rounded)) {
      llvm::APFloat expected(static_cast<double>(value)); // exact
      bool losesInfo;
      expected.convert(*semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
      bool isNan = llvm::APFloat(*semantics, llvm::APInt(16, bits)).isNaN();
      uint64_t number = expected.bitcastToAPInt().getZExtValue();
      ASSERT_TRUE(expected.isNaN() ? isNan : bits == number) << type << " of " << value;
    }
  }
}

TEST_F(Recipe, CastRoundsOnceToNearestEven) {
  EXPECT_EQ(floats("\"h\" via [#heddle.cast<f32>] : tensor<3xf32>"), (Floats{1, -2, 0x1p-24f}));
  Builder b(&context);
  // The last would round to 1 + 2^-10 through f32, and is above the middle by 2^-40.
  store.add("d", RankedTensorType::get({3}, b.getF64Type()),
            bytesOf<double>({1 + 0x1p-11, 1e300, 1 + 0x1p-11 + 0x1p-40}));
  FailureOr<std::vector<char>> bytes = evaluate("\"d\" via [#heddle.cast<f16>] : tensor<3xf16>");
  ASSERT_TRUE(succeeded(bytes)) << context.take();
  EXPECT_EQ(valuesOf<uint16_t>(*bytes), (std::vector<uint16_t>{0x3c00, 0x7c00, 0x3c01}));
}

TEST_F(Recipe, RefusesWhatIsNotStored) {
  EXPECT_EQ(errorOf("\"x\" : tensor<2x3xf32>"), "'heddle.weight' op there is no weight 'x'\n");
  EXPECT_EQ(errorOf("\"m\" : tensor<3x2xf32>"),
            "'heddle.weight' op 'm' is stored as 'tensor<2x3xf32>', not 'tensor<3x2xf32>'\n");
}

TEST_F(Recipe, RefusesStepsThatDoNotFit) {
  auto error = [&](const std::string &step) { return errorOf("\"m\" via [" + step + "] : tensor<1xf32>"); };
  EXPECT_EQ(error("#heddle.transpose<[0, 0]>"),
            "recipe step transpose: expected a permutation of the dimensions of 'tensor<2x3xf32>'\n");
  EXPECT_EQ(error("#heddle.reshape<[7]>"),
            "recipe step reshape: expected a shape with as many elements as 'tensor<2x3xf32>'\n");
  EXPECT_EQ(error("#heddle.reshape<[-6, -1]>"),
            "recipe step reshape: expected a shape with as many elements as 'tensor<2x3xf32>'\n");
  EXPECT_EQ(error("#heddle.slice<[0], [1]>"),
            "recipe step slice: expected an offset and a size for each dimension of 'tensor<2x3xf32>'\n");
  EXPECT_EQ(error("#heddle.slice<[1, 0], [2, 3]>"),
            "recipe step slice: offset 1 and size 2 exceed the extent 2 of 'tensor<2x3xf32>'\n");
  EXPECT_EQ(error("#heddle.slice<[-1, 0], [1, 9223372036854775807]>"),
            "recipe step slice: offset -1 and size 1 exceed the extent 2 of 'tensor<2x3xf32>'\n");
  EXPECT_EQ(error("#heddle.cast<i32>"), "recipe step cast: expected float types, found 'f32' to 'i32'\n");
  EXPECT_EQ(error("#heddle.pack<0>"), "recipe step pack: expected a matrix and a panel of 1 to 1024 columns, "
                                      "found 'tensor<2x3xf32>' and 0\n");
  EXPECT_EQ(error("#heddle.pack<1 x 17>"), "recipe step pack: expected 1 to 16 panels abreast, found 17\n");
  EXPECT_EQ(error("#heddle.concat<2, []>"), "recipe step concat: axis 2 is no dimension of 'tensor<2x3xf32>'\n");
  EXPECT_EQ(error("#heddle.concat<0, [\"n\"]>"),
            "recipe step concat: expected pairs [name, recipe], found \"n\"\n");
  EXPECT_EQ(error("#heddle.concat<0, [[\"x\", []]]>"), "recipe step concat: there is no weight 'x'\n");
  EXPECT_EQ(error("#heddle.concat<0, [[\"n\", []]]>"), "recipe step concat: part 'n' of type 'tensor<2x1xf32>' "
                                                       "does not fit 'tensor<2x3xf32>' along dimension 0\n");
  EXPECT_EQ(error("1 : i64"), "unknown recipe step 1 : i64\n");
}

TEST_F(Recipe, RefusesRecipesThatNestTooDeep) {
  std::string recipe = "[]";
  for (int i = 0; i < 10; ++i)
    recipe = "[#heddle.concat<0, [[\"i\", " + recipe + "]]>]";
  EXPECT_EQ(errorOf("\"i\" via " + recipe + " : tensor<1xi64>"), "recipes nest too deep\n");
}

} // namespace
