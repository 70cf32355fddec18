//===- tensor_test.cpp - tensor operations and conversions to bytes -------===//

#include "Run.h"

using Floats = std::vector<double>;
using Ints = std::vector<int64_t>;
using heddle::Tensor;

TEST(TensorOps, SliceAndInsert) {
  Runner runner;
  Tensor x = runner.f32({2, 4}, {0, 1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(runner.floats(R"mlir(func.func @main(%x: tensor<2x4xf32>) -> tensor<2xf32> {
    %0 = tensor.extract_slice %x[1, 1] [1, 2] [1, 2] : tensor<2x4xf32> to tensor<2xf32>
    return %0 : tensor<2xf32>
  })mlir", {x}), Floats({5, 7}));
  EXPECT_EQ(runner.floats(R"mlir(func.func @main(%x: tensor<2x4xf32>, %i: index) -> tensor<2x4xf32> {
    %0 = tensor.extract_slice %x[0, %i] [2, 1] [1, 1] : tensor<2x4xf32> to tensor<2x1xf32>
    %1 = tensor.insert_slice %0 into %x[0, 0] [2, 1] [1, 1] : tensor<2x1xf32> into tensor<2x4xf32>
    return %1 : tensor<2x4xf32>
  })mlir", {x, Tensor({}, mlir::IndexType::get(&runner.context), Ints{3})}),
            Floats({3, 1, 2, 3, 7, 5, 6, 7}));
}

TEST(TensorOps, SliceOutOfRangeIsAnError) {
  Runner runner;
  EXPECT_TRUE(failed(runner.run(R"mlir(func.func @main(%x: tensor<4xf32>, %i: index) -> tensor<2xf32> {
    %0 = tensor.extract_slice %x[%i] [2] [1] : tensor<4xf32> to tensor<2xf32>
    return %0 : tensor<2xf32>
  })mlir", {runner.f32({4}, {0, 1, 2, 3}), Tensor({}, mlir::IndexType::get(&runner.context), Ints{3})})));
  EXPECT_EQ(runner.errors, "'tensor.extract_slice' op slices [3, 4] of dimension 0 of size 4\n");
}

TEST(TensorOps, ConcatAlongEachAxis) {
  Runner runner;
  Tensor a = runner.f32({2, 1}, {1, 2}), b = runner.f32({2, 2}, {3, 4, 5, 6});
  EXPECT_EQ(runner.floats(R"mlir(func.func @main(%a: tensor<2x1xf32>, %b: tensor<2x2xf32>) -> tensor<2x3xf32> {
    %0 = tensor.concat dim(1) %a, %b : (tensor<2x1xf32>, tensor<2x2xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  })mlir", {a, b}), Floats({1, 3, 4, 2, 5, 6}));
}

TEST(TensorOps, PadWithAConstant) {
  Runner runner;
  EXPECT_EQ(runner.floats(R"mlir(func.func @main(%a: tensor<1x2xf32>) -> tensor<2x4xf32> {
    %c = arith.constant 9.0 : f32
    %0 = tensor.pad %a low[0, 1] high[1, 1] {
    ^bb0(%i: index, %j: index):
      tensor.yield %c : f32
    } : tensor<1x2xf32> to tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  })mlir", {runner.f32({1, 2}, {1, 2})}), Floats({9, 1, 2, 9, 9, 9, 9, 9}));
}

TEST(TensorOps, ReshapesKeepTheOrder) {
  Runner runner;
  auto results = runner.run(R"mlir(func.func @main(%a: tensor<2x6xf32>) -> tensor<4x3xf32> {
    %0 = tensor.expand_shape %a [[0], [1, 2]] output_shape [2, 2, 3] : tensor<2x6xf32> into tensor<2x2x3xf32>
    %1 = tensor.collapse_shape %0 [[0, 1], [2]] : tensor<2x2x3xf32> into tensor<4x3xf32>
    return %1 : tensor<4x3xf32>
  })mlir", {runner.f32({2, 6}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11})});
  ASSERT_TRUE(succeeded(results)) << runner.errors;
  EXPECT_EQ((*results)[0].shape(), llvm::ArrayRef<int64_t>({4, 3}));
  EXPECT_EQ((*results)[0].floats().vec(), Floats({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
}

/// Elements of tensor.empty are NaN, so that a use of an element that was never written changes the result.
TEST(TensorOps, UnwrittenElementsAreNan) {
  Runner runner;
  expectNear(runner.floats(R"mlir(func.func @main() -> tensor<2xf32> {
    %0 = tensor.empty() : tensor<2xf32>
    return %0 : tensor<2xf32>
  })mlir"), {NAN, NAN});
}

TEST(TensorBytes, EveryTypeIsConvertedToBytesAndBack) {
  mlir::MLIRContext context;
  mlir::Builder builder(&context);
  for (mlir::Type type : {mlir::Type(builder.getF64Type()), mlir::Type(builder.getF32Type()),
                          mlir::Type(builder.getF16Type()), mlir::Type(builder.getBF16Type())}) {
    Tensor tensor({4}, type, Floats{1.5, -0.25, INFINITY, 0});
    std::vector<char> bytes = tensor.toBytes();
    EXPECT_EQ(int64_t(bytes.size()), 4 * Tensor::byteWidth(type));
    auto back = Tensor::fromBytes({4}, type, bytes);
    ASSERT_TRUE(succeeded(back));
    EXPECT_EQ(back->floats().vec(), tensor.floats().vec());
  }
  for (unsigned width : {8, 16, 32, 64}) {
    Tensor tensor({3}, builder.getIntegerType(width), Ints{-1, 0, 100});
    auto back = Tensor::fromBytes({3}, tensor.elementType(), tensor.toBytes());
    ASSERT_TRUE(succeeded(back));
    EXPECT_EQ(back->ints().vec(), tensor.ints().vec());
  }
  // Every byte except 0 is true.
  auto mask = Tensor::fromBytes({3}, builder.getI1Type(), {0, 1, 7});
  ASSERT_TRUE(succeeded(mask));
  EXPECT_EQ(mask->ints().vec(), Ints({0, 1, 1}));
}

/// The bytes are literals, because a fault in both directions of a conversion would cancel out.
TEST(TensorBytes, KnownPatterns) {
  mlir::MLIRContext context;
  mlir::Builder builder(&context);
  auto half = Tensor::fromBytes({2}, builder.getF16Type(), {0x00, 0x3e, 0x01, 0x00}); // 1.5 and 2^-24
  ASSERT_TRUE(succeeded(half));
  EXPECT_EQ(half->floats().vec(), Floats({1.5, std::ldexp(1.0, -24)}));
  auto brain = Tensor::fromBytes({1}, builder.getBF16Type(), {char(0xc0), 0x3f});
  ASSERT_TRUE(succeeded(brain));
  EXPECT_EQ(brain->floats().vec(), Floats({1.5}));
  // 1/3 lies between the bf16 numbers 0x3eaa and 0x3eab and is nearer to the latter.
  EXPECT_EQ(Tensor({1}, builder.getBF16Type(), Floats{1.0 / 3}).toBytes(), std::vector<char>({char(0xab), 0x3e}));
}

/// The cases are too few bytes, too many bytes, a size that overflows, and an integer type without a form in bytes.
TEST(TensorBytes, WrongSizesAndTypesFail) {
  mlir::MLIRContext context;
  mlir::Builder builder(&context);
  EXPECT_TRUE(failed(Tensor::fromBytes({2}, builder.getF32Type(), {0, 0, 0, 0})));
  EXPECT_TRUE(failed(Tensor::fromBytes({1}, builder.getF32Type(), {0, 0, 0, 0, 0})));
  EXPECT_TRUE(failed(Tensor::fromBytes({int64_t(1) << 62, 16}, builder.getF32Type(), {})));
  EXPECT_TRUE(failed(Tensor::fromBytes({1}, builder.getIntegerType(7), {0})));
}
