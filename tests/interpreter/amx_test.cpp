//===- amx_test.cpp - operations on AMX tiles in the interpreter ----------===//

#include "Run.h"

#include "interpreter/Buffer.h"

#include "mlir/Dialect/AMX/AMXDialect.h"

using Floats = std::vector<double>;
using Integers = std::vector<int64_t>;

namespace {

struct Amx : testing::Test {
  Runner runner;

  Amx() {
    runner.context.getOrLoadDialect<mlir::amx::AMXDialect>();
    runner.options.precision = heddle::Precision::F32;
  }

  /// Runs @main, whose arguments are buffers with these elements, and returns the elements of the last buffer.
  heddle::Tensor last(std::string text, llvm::ArrayRef<heddle::Tensor> arguments) {
    llvm::SmallVector<heddle::Tensor> buffers;
    for (const heddle::Tensor &argument : arguments)
      buffers.push_back(heddle::Tensor(heddle::Buffer::of(argument)));
    EXPECT_TRUE(succeeded(runner.run(text, buffers))) << runner.errors << text;
    mlir::FailureOr<heddle::Tensor> elements = buffers.back().buffer()->load(runner.module->getOperation());
    EXPECT_TRUE(succeeded(elements));
    return *elements;
  }

  /// Returns the product of a row and a column of bf16 plus `start`, as the only element of a tile.
  double product(Floats row, Floats column, double start) {
    mlir::Type bf16 = mlir::BFloat16Type::get(&runner.context);
    int64_t size = row.size(), pairs = size / 2;
    std::string left = "1x" + std::to_string(size) + "xbf16", right = std::to_string(pairs) + "x2xbf16";
    return last("func.func @main(%a: memref<" + left + ">, %b: memref<" + right + ">, %c: memref<1x1xf32>) {\n"
                "%c0 = arith.constant 0 : index\n"
                "%0 = amx.tile_load %a[%c0, %c0] : memref<" + left + "> into !amx.tile<" + left + ">\n"
                "%1 = amx.tile_load %b[%c0, %c0] : memref<" + right + "> into !amx.tile<" + right + ">\n"
                "%2 = amx.tile_load %c[%c0, %c0] : memref<1x1xf32> into !amx.tile<1x1xf32>\n"
                "%3 = amx.tile_mulf %0, %1, %2 : !amx.tile<" + left + ">, !amx.tile<" + right +
                ">, !amx.tile<1x1xf32>\n"
                "amx.tile_store %c[%c0, %c0], %3 : memref<1x1xf32>, !amx.tile<1x1xf32>\nreturn\n}\n",
                {heddle::Tensor({1, size}, bf16, row), heddle::Tensor({pairs, 2}, bf16, column),
                 runner.f32({1, 1}, {start})})
        .floats()[0];
  }
};

TEST_F(Amx, ProductsOfPairsAreAddedAsTheInstructionDoes) {
  EXPECT_EQ(product({1, 2, 3, 4}, {5, 6, 7, 8}, 0.5), 70.5);
  // The even and the odd products have accumulators of their own: 2^24 + 1 is rounded to 2^24, and 1 - 2^24 is not
  // rounded. The sum of the accumulators is 1. From left to right, the sum would be 0, and from right to left 2.
  double large = 16777216;
  EXPECT_EQ(product({large, 1, 1, -large}, {1, 1, 1, 1}, 0), 1);
  // Without the rounding to f32, the sum is exact.
  runner.options.precision = heddle::Precision::F64;
  EXPECT_EQ(product({large, 1, 1, -large}, {1, 1, 1, 1}, 0), 2);
}

TEST_F(Amx, DenormalNumbersAreZero) {
  double least = std::ldexp(1.0, -126);
  EXPECT_EQ(product({least, 0}, {1, 0}, 0), least);
  EXPECT_EQ(product({least, 0}, {0.5, 0}, 0), 0);                 // a denormal product
  EXPECT_EQ(product({least / 2, 0}, {4, 0}, 0), 0);               // a denormal factor
  EXPECT_EQ(product({0, 0}, {1, 1}, least / 2), 0);               // a denormal start
  EXPECT_EQ(product({least, 1}, {1.5, -least}, 0), 0);            // a denormal sum
  EXPECT_TRUE(std::isnan(product({INFINITY, 0}, {0, 0}, 0)));
}

TEST_F(Amx, BytesAreSignedOrUnsigned) {
  auto text = [](std::string left, std::string right) {
    return "func.func @main(%a: memref<2x4xi8>, %b: memref<1x8xi8>, %out: memref<2x2xi32>) {\n"
           "%c0 = arith.constant 0 : index\n"
           "%0 = amx.tile_load %a[%c0, %c0] : memref<2x4xi8> into !amx.tile<2x4xi8>\n"
           "%1 = amx.tile_load %b[%c0, %c0] : memref<1x8xi8> into !amx.tile<1x8xi8>\n"
           "%z = amx.tile_zero : !amx.tile<2x2xi32>\n"
           "%2 = amx.tile_muli %0" + left + ", %1" + right +
           ", %z : !amx.tile<2x4xi8>, !amx.tile<1x8xi8>, !amx.tile<2x2xi32>\n"
           "amx.tile_store %out[%c0, %c0], %2 : memref<2x2xi32>, !amx.tile<2x2xi32>\nreturn\n}\n";
  };
  heddle::Tensor rows = runner.ints({2, 4}, 8, {-1, 2, 0, 0, 1, 1, 1, 1});
  heddle::Tensor weight = runner.ints({1, 8}, 8, {1, 1, 1, 1, -1, 0, 0, 3});
  heddle::Tensor sums = runner.ints({2, 2}, 32, {9, 9, 9, 9});
  EXPECT_EQ(last(text("", ""), {rows, weight, sums}).ints().vec(), Integers({1, 1, 4, 2}));
  EXPECT_EQ(last(text(" zext", ""), {rows, weight, sums}).ints().vec(), Integers({257, -255, 4, 2}));
  EXPECT_EQ(last(text("", " zext"), {rows, weight, sums}).ints().vec(), Integers({1, -255, 4, 258}));
  EXPECT_EQ(last(text(" zext", " zext"), {rows, weight, sums}).ints().vec(), Integers({257, 65025, 4, 258}));
}

/// A tile is a part of its buffer. With a stride, its rows are that many elements apart.
TEST_F(Amx, TilesAreParts) {
  auto text = [](int row) {
    return R"mlir(func.func @main(%x: memref<3x4xi8>, %out: memref<3x4xi8>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %stride = arith.constant 8 : index
      %i = arith.constant )mlir" + std::to_string(row) + R"mlir( : index
      %first = amx.tile_load %x[%c0, %c0], %stride : memref<3x4xi8> into !amx.tile<2x4xi8>
      %t = amx.tile_load %x[%i, %c0] : memref<3x4xi8> into !amx.tile<2x4xi8>
      amx.tile_store %out[%c1, %c0], %t : memref<3x4xi8>, !amx.tile<2x4xi8>
      amx.tile_store %out[%c0, %c0], %first, %stride : memref<3x4xi8>, !amx.tile<2x4xi8>
      return
    })mlir";
  };
  heddle::Tensor x = runner.ints({3, 4}, 8, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  EXPECT_EQ(last(text(0), {x, x}).ints().vec(), Integers({1, 2, 3, 4, 1, 2, 3, 4, 9, 10, 11, 12}));
  EXPECT_EQ(last(text(1), {x, x}).ints().vec(), Integers({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  heddle::Tensor buffer(heddle::Buffer::of(x));
  EXPECT_TRUE(failed(runner.run(text(2), {buffer, buffer})));
  EXPECT_NE(runner.errors.find("'amx.tile_load' op"), std::string::npos) << runner.errors;
}

} // namespace
