//===- recipe_test.cpp - evaluation of weight recipes ---------------------===//
//
// A recipe is a list of steps that are applied to a stored weight. The steps
// are documented in dialect/OPS.md. Most tests use the matrix m below.
//
//===----------------------------------------------------------------------===//

#include "../import/Diagnostics.h"

#include "heddle/Recipe.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"

#include <cmath>
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
    store.add("words", RankedTensorType::get({2}, b.getI32Type()), bytesOf<int32_t>({0x7f, -1}));
  }

  /// Evaluates `heddle.weight <text>`, and returns the bytes of its elements.
  FailureOr<std::vector<char>> evaluate(const std::string &text) {
    // The operation is not verified, so the evaluation itself must reject the recipe.
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

  std::vector<int8_t> signs(const std::string &text) {
    FailureOr<std::vector<char>> bytes = evaluate(text);
    EXPECT_TRUE(succeeded(bytes)) << context.take();
    return succeeded(bytes) ? valuesOf<int8_t>(*bytes) : std::vector<int8_t>();
  }

  std::string errorOf(const std::string &text) {
    EXPECT_TRUE(failed(evaluate(text)));
    return context.take();
  }
};

using Floats = std::vector<float>;
using Signs = std::vector<int8_t>;

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

// Packing stores panels of neighbouring columns, one after the other. The last panel is padded with zeros.
TEST_F(Recipe, Pack) {
  EXPECT_EQ(floats("\"m\" via [#heddle.pack<2>] : tensor<2x2x2xf32>"), (Floats{0, 1, 3, 4, 2, 0, 5, 0}));
}

TEST_F(Recipe, PackInterleaved) {
  // The result contains columns 0 and 2 of each row, then column 1 and padding.
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

// Tests numbers of every exponent and sign whose digits are near the limits of rounding in f16 and bf16.
TEST_F(Recipe, CastOfEveryExponentRoundsAsAPFloat) {
  std::vector<float> values;
  for (uint32_t exponent = 0; exponent < 512; ++exponent) // the exponent and the sign
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
      llvm::APFloat expected(static_cast<double>(value)); // the conversion to double is exact
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
  // The last number is 2^-40 above the midpoint of 1 and 1 + 2^-10. Rounding through f32 would yield 1.
  store.add("d", RankedTensorType::get({3}, b.getF64Type()),
            bytesOf<double>({1 + 0x1p-11, 1e300, 1 + 0x1p-11 + 0x1p-40}));
  FailureOr<std::vector<char>> bytes = evaluate("\"d\" via [#heddle.cast<f16>] : tensor<3xf16>");
  ASSERT_TRUE(succeeded(bytes)) << context.take();
  EXPECT_EQ(valuesOf<uint16_t>(*bytes), (std::vector<uint16_t>{0x3c00, 0x7c00, 0x3c01}));
}

TEST_F(Recipe, RefusesWeightsThatAreNotStored) {
  EXPECT_EQ(errorOf("\"x\" : tensor<2x3xf32>"), "'heddle.weight' op there is no weight 'x'\n");
  EXPECT_EQ(errorOf("\"m\" : tensor<3x2xf32>"), "'heddle.weight' op 'm' is stored as 'tensor<2x3xf32>', but the result "
                                                "type of the operation is 'tensor<3x2xf32>'\n");
}

TEST_F(Recipe, PackSeveralRows) {
  // Two rows of a column are adjacent in memory, followed by the next column.
  EXPECT_EQ(floats("\"m\" via [#heddle.pack<2, depth 2>] : tensor<2x1x2x2xf32>"), (Floats{0, 3, 1, 4, 2, 5, 0, 0}));
  EXPECT_EQ(floats("\"m\" via [#heddle.transpose<[1, 0]>, #heddle.pack<2, depth 2>] : tensor<1x2x2x2xf32>"),
            (Floats{0, 1, 3, 4, 2, 0, 5, 0}));
  EXPECT_EQ(floats("\"m\" via [#heddle.pack<1 x 2, depth 2>] : tensor<2x2x1x1x2xf32>"), (Floats{0, 3, 2, 5, 1, 4, 0, 0}));
}

TEST_F(Recipe, Quantize) {
  // The elements are 0 1 2 / 3 4 5. The scale of a block is 1/127 (1/7 for 4 bits) of its largest element. A block is a
  // column, a row, or two neighbouring elements of a row. With `outliers [1]`, only row 0 is quantized, so the block of
  // a column contains only the element of row 0.
  EXPECT_EQ(floats("\"m\" via [#heddle.scales<8, [2, 1]>] : tensor<1x3xf32>"), (Floats{3.0f / 127, 4.0f / 127, 5.0f / 127}));
  EXPECT_EQ(signs("\"m\" via [#heddle.quantize<8, [2, 1]>] : tensor<2x3xi8>"), (Signs{0, 32, 51, 127, 127, 127}));
  EXPECT_EQ(signs("\"m\" via [#heddle.quantize<8, [1, 3]>] : tensor<2x3xi8>"), (Signs{0, 64, 127, 76, 102, 127}));
  EXPECT_EQ(signs("\"m\" via [#heddle.quantize<4, [1, 2]>] : tensor<2x3xi8>"), (Signs{0, 7, 7, 5, 7, 7}));
  EXPECT_EQ(floats("\"m\" via [#heddle.scales<8, [2, 1], outliers [1]>] : tensor<1x3xf32>"),
            (Floats{0x1p-100f / 127, 1.0f / 127, 2.0f / 127}));
  EXPECT_EQ(signs("\"m\" via [#heddle.quantize<8, [2, 1], outliers [1]>] : tensor<2x3xi8>"),
            (Signs{0, 127, 127, 0, 0, 0}));
}

// The scale of a column with a number that is not finite is NaN, so all its dequantized elements are NaN.
TEST_F(Recipe, QuantizeNumbersThatAreNotFinite) {
  store.add("bad", RankedTensorType::get({2, 2}, Float32Type::get(&context)), bytesOf<float>({1, INFINITY, 2, 3}));
  Floats scales = floats("\"bad\" via [#heddle.scales<8, [2, 1]>] : tensor<1x2xf32>");
  EXPECT_EQ(scales[0], 2.0f / 127);
  EXPECT_TRUE(std::isnan(scales[1]));
  EXPECT_EQ(signs("\"bad\" via [#heddle.quantize<8, [2, 1]>] : tensor<2x2xi8>"), (Signs{64, 0, 127, 0}));
}

// These steps decode weights that a file stores in a quantized format.
TEST_F(Recipe, StepsOfStoredFormats) {
  EXPECT_EQ(floats("\"m\" via [#heddle.transpose<[1, 0]>, #heddle.take<[2, 0]>] : tensor<2x2xf32>"), (Floats{2, 5, 0, 3}));
  EXPECT_EQ(signs("\"h\" via [#heddle.bytes] : tensor<3x2xi8>"), (Signs{0, 0x3c, 0, -64, 1, 0}));
  EXPECT_EQ(signs("\"h\" via [#heddle.bytes, #heddle.nibbles] : tensor<3x4xi8>"),
            (Signs{0, 0, 12, 3, 0, 0, 0, 12, 1, 0, 0, 0}));
  // The second panel has only one column.
  EXPECT_EQ(signs("\"h\" via [#heddle.bytes, #heddle.nibbles, #heddle.transpose<[1, 0]>, #heddle.pack<2, depth 2>, "
                  "#heddle.join_nibbles<2, [0, 1, 12, 3, 1]>] : tensor<2x1x2x2xi8>"),
            (Signs{2 << 4, 3 << 4, 0, 2 << 4, 1, 0, 0, 0}));
  EXPECT_EQ(signs("\"h\" via [#heddle.bytes, #heddle.nibbles, #heddle.transpose<[1, 0]>, #heddle.pack<2, depth 2>, "
                  "#heddle.join_nibbles<2, [12, 0, 3, 1]>] : tensor<2x1x2x2xi8>"),
            (Signs{1 | 0 << 4, 1 | 2 << 4, 1 | 1 << 4, 1 | 0 << 4, 3 | 1 << 4, 1 | 1 << 4, 1 | 1 << 4, 1 | 1 << 4}));
  EXPECT_EQ(signs("\"h\" via [#heddle.bytes, #heddle.add<-128>] : tensor<3x2xi8>"), (Signs{-128, -68, -128, 64, -127, -128}));
  EXPECT_EQ(signs("\"words\" via [#heddle.add<286331153>, #heddle.bytes] : tensor<2x4xi8>"),
            (Signs{-112, 0x11, 0x11, 0x11, 0x10, 0x11, 0x11, 0x11}));
  FailureOr<std::vector<char>> sums =
      evaluate("\"m\" via [#heddle.quantize<8, [2, 1]>, #heddle.block_sums<2>] : tensor<1x3xi32>");
  ASSERT_TRUE(succeeded(sums)) << context.take();
  EXPECT_EQ(valuesOf<int32_t>(*sums), (std::vector<int32_t>{127, 159, 178}));
}

// kept_bits<N> adds N mask words of 32 bits before the indices of outlier rows: the word of a row that is an outlier is
// 0, and other words are -1.
TEST_F(Recipe, NumbersAndMasksOfOutlierRows) {
  auto words = [&](const std::string &text) {
    FailureOr<std::vector<char>> bytes = evaluate("\"m\" via [" + text);
    EXPECT_TRUE(succeeded(bytes)) << context.take();
    return succeeded(bytes) ? valuesOf<int32_t>(*bytes) : std::vector<int32_t>();
  };
  EXPECT_EQ(words("#heddle.numbers<[1, 3]>] : tensor<2xi32>"), (std::vector<int32_t>{1, 3}));
  EXPECT_EQ(words("#heddle.numbers<[1, 3]>, #heddle.kept_bits<5>] : tensor<7xi32>"),
            (std::vector<int32_t>{-1, 0, -1, 0, -1, 1, 3}));
  // Neither number is the index of one of the two mask words, so both words remain -1.
  EXPECT_EQ(words("#heddle.numbers<[2, -1]>, #heddle.kept_bits<2>] : tensor<4xi32>"), (std::vector<int32_t>{-1, -1, 2, -1}));
}

TEST_F(Recipe, RefusesStepsOfStoredFormatsThatDoNotFit) {
  auto error = [&](const std::string &step) { return errorOf("\"m\" via [" + step + "] : tensor<1xf32>"); };
  EXPECT_EQ(error("#heddle.quantize<9, [2, 1]>"),
            "recipe step quantize: 9 bits are outside 2..8, found 'tensor<2x3xf32>'\n");
  EXPECT_EQ(error("#heddle.quantize<8, [2]>"), "recipe step quantize: expected floats and a block of at least 1 element "
                                               "along each dimension, found 'tensor<2x3xf32>'\n");
  EXPECT_EQ(error("#heddle.scales<8, [2, 1], outliers [1, 1]>"),
            "recipe step scales: outlier rows must ascend and be rows of the tensor, found 'tensor<2x3xf32>'\n");
  EXPECT_EQ(error("#heddle.take<[2]>"),
            "recipe step take: expected indices of rows of the tensor, found 'tensor<2x3xf32>'\n");
  EXPECT_EQ(error("#heddle.block_sums<2>"), "recipe step block_sums: expected a matrix of i8 and blocks of at least one "
                                            "row, found 'tensor<2x3xf32>'\n");
  EXPECT_EQ(error("#heddle.kept_bits<2>"),
            "recipe step kept_bits: expected a list of i32, and a count of at least 0, found 'tensor<2x3xf32>'\n");
  EXPECT_EQ(error("#heddle.nibbles"), "recipe step nibbles: expected elements of i8 and at least one dimension, found "
                                      "'tensor<2x3xf32>'\n");
  EXPECT_EQ(error("#heddle.join_nibbles<3, [0]>"),
            "recipe step join_nibbles: expected an even number of rows, found 'tensor<2x3xf32>'\n");
  for (const char *values : {"0, 128", "-129", "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16"})
    EXPECT_EQ(error("#heddle.join_nibbles<2, [" + std::string(values) + "]>"),
              "recipe step join_nibbles: expected 1 to 16 values from -128 to 127, found 'tensor<2x3xf32>'\n");
  EXPECT_EQ(
      error("#heddle.join_nibbles<2, [0]>"),
      "recipe step join_nibbles: expected a packed matrix of i8 with groups of 2 rows, found 'tensor<2x3xf32>'\n");
  EXPECT_EQ(error("#heddle.add<1>"), "recipe step add: expected elements of i8 or i32, and a number with at most as "
                                     "many bits, found 'tensor<2x3xf32>'\n");
  EXPECT_EQ(error("#heddle.unpack<#heddle.q4_0, codes>"), "recipe step unpack: expected i8 in rows of whole blocks, "
                                                          "which have 18 bytes, found 'tensor<2x3xf32>'\n");
  EXPECT_EQ(error("#heddle.pack<1, depth 17>"), "recipe step pack: expected a depth of 1 to 16 rows, found 17\n");
}

// A number that is neither 0 nor among the values would become another number.
TEST_F(Recipe, RefusesToJoinNumbersThatAreNotValues) {
  std::string nibbles = "#heddle.bytes, #heddle.nibbles, #heddle.transpose<[1, 0]>, #heddle.pack<2, depth 2>, ";
  std::string complaint = "recipe step join_nibbles: the element 3 is not among the values\n";
  std::string join = "#heddle.join_nibbles<2, [12, 1]>";
  EXPECT_EQ(errorOf("\"h\" via [" + nibbles + join + "] : tensor<2x1x2x2xi8>"), complaint);
  EXPECT_EQ(errorOf("\"h\" via [" + nibbles + "#heddle.join_nibbles<2, [12, 1, 3]>, #heddle.concat<0, [[\"h\", [" +
                    nibbles + join + "]]]>] : tensor<4x1x2x2xi8>"),
            complaint);
}

TEST_F(Recipe, RefusesStepsThatDoNotFit) {
  auto error = [&](const std::string &step) { return errorOf("\"m\" via [" + step + "] : tensor<1xf32>"); };
  EXPECT_EQ(error("#heddle.transpose<[0, 0]>"),
            "recipe step transpose: expected a permutation of the dimensions of 'tensor<2x3xf32>', found 0, 0\n");
  EXPECT_EQ(error("#heddle.reshape<[7]>"),
            "recipe step reshape: expected a shape with as many elements as 'tensor<2x3xf32>', found 7\n");
  EXPECT_EQ(error("#heddle.reshape<[-6, -1]>"),
            "recipe step reshape: expected a shape with as many elements as 'tensor<2x3xf32>', found -6, -1\n");
  EXPECT_EQ(error("#heddle.slice<[0], [1]>"),
            "recipe step slice: expected an offset and a size for each dimension of 'tensor<2x3xf32>'\n");
  EXPECT_EQ(error("#heddle.slice<[1, 0], [2, 3]>"),
            "recipe step slice: offset 1 and size 2 exceed the extent 2 of 'tensor<2x3xf32>'\n");
  EXPECT_EQ(error("#heddle.slice<[-1, 0], [1, 9223372036854775807]>"),
            "recipe step slice: offset -1 and size 1 exceed the extent 2 of 'tensor<2x3xf32>'\n");
  EXPECT_EQ(error("#heddle.cast<i32>"),
            "recipe step cast: expected a cast of floats or i32 to a float type, found 'f32' to 'i32'\n");
  EXPECT_EQ(error("#heddle.pack<0>"), "recipe step pack: expected a matrix and a panel of 1 to 1024 columns, "
                                      "found 'tensor<2x3xf32>' and 0\n");
  EXPECT_EQ(error("#heddle.pack<1 x 17>"), "recipe step pack: expected 1 to 16 interleaved panels, found 17\n");
  EXPECT_EQ(error("#heddle.concat<2, []>"), "recipe step concat: axis 2 is not a dimension of 'tensor<2x3xf32>'\n");
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
  EXPECT_EQ(errorOf("\"i\" via " + recipe + " : tensor<1xi64>"), "recipes are nested more than 8 levels deep\n");
}

} // namespace
