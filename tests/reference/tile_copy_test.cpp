//===- tile_copy_test.cpp - the meaning of heddle.tile_copy ---------------===//

#include "Run.h"

using namespace mlir;
using namespace heddle;

namespace {

struct TileCopies : testing::Test {
  Runner runner;
  Tensor source = runner.f32({3, 4}, {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23});
  Tensor index(int64_t value) { return Tensor({}, IndexType::get(&runner.context), std::vector<int64_t>{value}); }
};

constexpr const char *onTensors = R"(
  func.func @main(%x: tensor<3x4xf32>, %i: index, %j: index, %rows: index, %columns: index) -> tensor<2x3xf32> {
    %tile = bufferization.alloc_tensor() {memory_space = #heddle.workgroup} : tensor<2x3xf32>
    %0 = heddle.tile_copy %x[%i, %j] valid(%rows, %columns) into %tile
      : tensor<3x4xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  })";

TEST_F(TileCopies, FillTheRestWithZeros) {
  auto at = [&](int64_t i, int64_t j, int64_t rows, int64_t columns) {
    return runner.floats(onTensors, {source, index(i), index(j), index(rows), index(columns)});
  };
  EXPECT_EQ(at(0, 0, 2, 3), (std::vector<double>{0, 1, 2, 10, 11, 12}));
  EXPECT_EQ(at(2, 1, 1, 3), (std::vector<double>{21, 22, 23, 0, 0, 0}));
  EXPECT_EQ(at(1, 2, 2, 2), (std::vector<double>{12, 13, 0, 22, 23, 0}));
  EXPECT_EQ(at(1, 2, 7, 2), (std::vector<double>{12, 13, 0, 22, 23, 0})); // at most the whole tile
  EXPECT_EQ(at(3, 4, 0, 0), (std::vector<double>(6, 0)));
}

TEST_F(TileCopies, StayInTheSource) {
  EXPECT_TRUE(failed(runner.run(onTensors, {source, index(2), index(0), index(2), index(3)})));
  EXPECT_NE(runner.errors.find("copies 2 x 3 elements from (2, 0), which lie outside the source of 3 x 4"),
            std::string::npos)
      << runner.errors;
}

TEST_F(TileCopies, RoundToTheTypeOfTheTile) {
  // bf16 has 8 bits of precision: 1 + 2^-8 is halfway between 1 and its neighbour, and rounds to the even one, 1.
  const char *text = R"(
    func.func @main(%x: tensor<1x3xf32>) -> tensor<1x3xbf16> {
      %c0 = arith.constant 0 : index
      %tile = bufferization.alloc_tensor() {memory_space = #heddle.workgroup} : tensor<1x3xbf16>
      %0 = heddle.tile_copy %x[%c0, %c0] into %tile : tensor<1x3xf32>, tensor<1x3xbf16> -> tensor<1x3xbf16>
      return %0 : tensor<1x3xbf16>
    })";
  Tensor numbers = runner.f32({1, 3}, {1 + 0x1p-8, 1 + 0x1.8p-8, 1 + 0x1.8p-7});
  EXPECT_EQ(runner.floats(text, {numbers}), (std::vector<double>{1, 1 + 0x1p-7, 1 + 0x1p-6}));
}

TEST_F(TileCopies, OfBuffersAreThoseOfTensors) {
  const char *text = R"(
    func.func @main(%x: tensor<3x4xf32>) -> f32 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %zero = arith.constant 0.0 : f32
      %all = memref.alloc() : memref<3x4xf32>
      linalg.fill ins(%zero : f32) outs(%all : memref<3x4xf32>)
      %seven = arith.constant 7.0 : f32
      memref.store %seven, %all[%c2, %c1] : memref<3x4xf32>
      %part = memref.subview %all[1, 0] [2, 3] [1, 1] : memref<3x4xf32> to memref<2x3xf32, strided<[4, 1], offset: 4>>
      %tile = memref.alloc() : memref<2x2xf32, #heddle.workgroup>
      heddle.tile_copy %part[%c0, %c1] valid(%c2, %c1) into %tile
        : memref<2x3xf32, strided<[4, 1], offset: 4>>, memref<2x2xf32, #heddle.workgroup>
      %a = memref.load %tile[%c1, %c0] : memref<2x2xf32, #heddle.workgroup>
      %b = memref.load %tile[%c1, %c1] : memref<2x2xf32, #heddle.workgroup>
      %sum = arith.addf %a, %b : f32
      return %sum : f32
    })";
  EXPECT_EQ(runner.floats(text, {source}), (std::vector<double>{7}));
}

TEST_F(TileCopies, ThatAreAsyncTakePlaceAtOnce) {
  const char *text = R"(
    func.func @main(%x: tensor<3x4xf32>) -> f32 {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %five = arith.constant 5.0 : f32
      %all = memref.alloc() : memref<2x2xf32>
      linalg.fill ins(%five : f32) outs(%all : memref<2x2xf32>)
      %tiles = memref.alloc() : memref<3x2x2xf32, #heddle.workgroup>
      %tile = memref.subview %tiles[2, 0, 0] [1, 2, 2] [1, 1, 1]
        : memref<3x2x2xf32, #heddle.workgroup> to memref<2x2xf32, strided<[2, 1], offset: 8>, #heddle.workgroup>
      heddle.tile_copy async %all[%c0, %c0] into %tile
        : memref<2x2xf32>, memref<2x2xf32, strided<[2, 1], offset: 8>, #heddle.workgroup>
      heddle.tile_commit
      heddle.tile_wait pending(0)
      %a = memref.load %tile[%c1, %c0] : memref<2x2xf32, strided<[2, 1], offset: 8>, #heddle.workgroup>
      return %a : f32
    })";
  EXPECT_EQ(runner.floats(text, {source}), (std::vector<double>{5}));
}

} // namespace
