//===- memref_test.cpp - memref operations in the interpreter -------------===//

#include "Run.h"

using Floats = std::vector<double>;

/// Returns the text of a function that runs `body` and then returns the elements of %m, a buffer of 6 x f32 that `body`
/// may change. `body` may also use %bytes, the same memory as bytes, and the constants that are defined before `body`.
static std::string onBuffer(llvm::StringRef body) {
  return ("func.func @main() -> vector<6xf32> {\n"
          "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c2 = arith.constant 2 : index\n"
          "  %one = arith.constant 1.0 : f32\n  %two = arith.constant 2.0 : f32\n  %zero = arith.constant 0.0 : f32\n"
          "  %bytes = memref.alloc() : memref<24xi8>\n  %m = memref.view %bytes[%c0][] : memref<24xi8> to memref<6xf32>\n" +
          body + "\n  %r = vector.load %m[%c0] : memref<6xf32>, vector<6xf32>\n  return %r : vector<6xf32>\n}\n")
      .str();
}

/// Stores to views of a buffer change the buffer. Elements that nothing has written are NaN.
TEST(MemRef, ViewsShareTheirElements) {
  Runner runner;
  Floats result = runner.floats(onBuffer(R"mlir(
    %e = memref.expand_shape %m [[0, 1]] output_shape [2, 3] : memref<6xf32> into memref<2x3xf32>
    %column = memref.subview %e[0, 1] [2, 1] [1, 1] : memref<2x3xf32> to memref<2xf32, strided<[3], offset: 1>>
    memref.store %one, %column[%c0] : memref<2xf32, strided<[3], offset: 1>>
    memref.store %two, %column[%c1] : memref<2xf32, strided<[3], offset: 1>>
    %back = memref.collapse_shape %e [[0, 1]] : memref<2x3xf32> into memref<6xf32>
    %x = memref.load %back[%c1] : memref<6xf32>
    memref.store %x, %back[%c0] : memref<6xf32>
  )mlir"));
  ASSERT_EQ(result.size(), 6u);
  EXPECT_EQ(Floats(result.begin(), result.begin() + 2), Floats({1, 1}));
  EXPECT_EQ(result[4], 2);
  EXPECT_TRUE(std::isnan(result[2]) && std::isnan(result[3]) && std::isnan(result[5]))
      << "these elements were not written";
}

TEST(MemRef, BytesAreReadWithAnotherType) {
  Runner runner;
  EXPECT_EQ(runner.integers(R"mlir(func.func @main() -> i32 {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %one = arith.constant 1.0 : f32
    %bytes = memref.alloc() : memref<8xi8>
    %f = memref.view %bytes[%c4][] : memref<8xi8> to memref<1xf32>
    %i = memref.view %bytes[%c4][] : memref<8xi8> to memref<1xi32>
    memref.store %one, %f[%c0] : memref<1xf32>
    %0 = memref.load %i[%c0] : memref<1xi32>
    return %0 : i32
  })mlir"), std::vector<int64_t>{0x3f800000});
}

TEST(MemRef, CopiesAndConstants) {
  Runner runner;
  EXPECT_EQ(runner.floats(R"mlir(
  memref.global "private" constant @table : memref<2x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0]]>
  func.func @main() -> vector<2xf32> {
    %c0 = arith.constant 0 : index
    %t = memref.get_global @table : memref<2x2xf32>
    %m = memref.alloc() : memref<2x1xf32>
    %column = memref.subview %t[0, 1] [2, 1] [1, 1] : memref<2x2xf32> to memref<2x1xf32, strided<[2, 1], offset: 1>>
    memref.copy %column, %m : memref<2x1xf32, strided<[2, 1], offset: 1>> to memref<2x1xf32>
    %flat = memref.collapse_shape %m [[0, 1]] : memref<2x1xf32> into memref<2xf32>
    %v = vector.load %flat[%c0] : memref<2xf32>, vector<2xf32>
    return %v : vector<2xf32>
  })mlir"), Floats({2, 4}));
}

TEST(MemRef, LinalgOnBuffers) {
  Runner runner;
  EXPECT_EQ(runner.floats(onBuffer(R"mlir(
    linalg.fill ins(%two : f32) outs(%m : memref<6xf32>)
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%m : memref<6xf32>) outs(%m : memref<6xf32>) {
    ^bb0(%a: f32, %o: f32):
      %i = linalg.index 0 : index
      %n = arith.index_cast %i : index to i32
      %f = arith.sitofp %n : i32 to f32
      %s = arith.mulf %a, %f : f32
      linalg.yield %s : f32
    }
  )mlir")), Floats({0, 2, 4, 6, 8, 10}));
}

TEST(MemRef, VectorsInMemory) {
  Runner runner;
  EXPECT_EQ(runner.floats(onBuffer(R"mlir(
    %v = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
    %mask = vector.constant_mask [2] : vector<4xi1>
    linalg.fill ins(%zero : f32) outs(%m : memref<6xf32>)
    vector.store %v, %m[%c0] : memref<6xf32>, vector<4xf32>
    %c4 = arith.constant 4 : index
    vector.maskedstore %m[%c4], %mask, %v : memref<6xf32>, vector<4xi1>, vector<4xf32>
    %w = vector.maskedload %m[%c2], %mask, %v : memref<6xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
    vector.transfer_write %w, %m[%c1] : vector<4xf32>, memref<6xf32>
    %x = vector.transfer_read %m[%c2], %two : memref<6xf32>, vector<6xf32>
    vector.transfer_write %x, %m[%c0] {in_bounds = [true]} : vector<6xf32>, memref<6xf32>
  )mlir")), Floats({4, 3, 4, 2, 2, 2}));
}

TEST(MemRef, StoresRoundToTheirType) {
  Runner runner;
  EXPECT_EQ(runner.floats(R"mlir(func.func @main(%x: f32) -> f32 {
    %m = memref.alloca() : memref<f32>
    memref.store %x, %m[] : memref<f32>
    %0 = memref.load %m[] : memref<f32>
    return %0 : f32
  })mlir", {runner.f32({}, {0.1})}), Floats({double(0.1f)}));
}

/// A body for `onBuffer` and the error message that the interpreter must emit for it.
struct ErrorCase {
  const char *body, *message;
};

class MemRefErrors : public testing::TestWithParam<ErrorCase> {};

TEST_P(MemRefErrors, AreReported) {
  Runner runner;
  EXPECT_TRUE(failed(runner.run(onBuffer(GetParam().body))));
  EXPECT_EQ(runner.errors, std::string(GetParam().message) + "\n");
}

static const ErrorCase errorCases[] = {
    {"%c6 = arith.constant 6 : index\n %x = memref.load %m[%c6] : memref<6xf32>\n memref.store %x, %m[%c0] : memref<6xf32>",
     "'memref.load' op index 6 is out of range for dimension 0 of size 6"},
    {"%c6 = arith.constant -1 : index\n memref.store %one, %m[%c6] : memref<6xf32>",
     "'memref.store' op index -1 is out of range for dimension 0 of size 6"},
    {"%v = arith.constant dense<0.0> : vector<5xf32>\n vector.store %v, %m[%c2] : memref<6xf32>, vector<5xf32>",
     "'vector.store' op index 6 is out of range for dimension 0 of size 6"},
    {"%v = arith.constant dense<0.0> : vector<5xf32>\n"
     "vector.transfer_write %v, %m[%c2] {in_bounds = [true]} : vector<5xf32>, memref<6xf32>",
     "'vector.transfer_write' op accesses elements outside its buffer of shape 'tensor<6xf32>' along a dimension that "
     "is declared in bounds"},
    {"%s = memref.subview %m[%c2] [5] [1] : memref<6xf32> to memref<5xf32, strided<[1], offset: ?>>",
     "'memref.subview' op slices [2, 6] of dimension 0 of size 6"},
    {"%s = memref.view %bytes[%c1][] : memref<24xi8> to memref<6xf32>",
     "'memref.view' op takes bytes [1, 25) of a buffer of 24 bytes"},
    {"%e = memref.expand_shape %m [[0, 1]] output_shape [2, 3] : memref<6xf32> into memref<2x3xf32>\n"
     "%s = memref.subview %e[0, 0] [2, 2] [1, 1] : memref<2x3xf32> to memref<2x2xf32, strided<[3, 1]>>\n"
     "%d = memref.cast %s : memref<2x2xf32, strided<[3, 1]>> to memref<?x?xf32, strided<[?, ?]>>\n"
     "%f = memref.collapse_shape %d [[0, 1]] : memref<?x?xf32, strided<[?, ?]>> into memref<?xf32, strided<[?]>>",
     "'memref.collapse_shape' op joins dimensions with gaps between them"},
    {"%a = memref.atomic_rmw addf %one, %m[%c0] : (f32, memref<6xf32>) -> f32",
     "the interpreter does not support 'memref.atomic_rmw'"},
    {"%a = memref.alloc() : memref<2xf80>", "the interpreter does not support buffers of 'f80'"},
};
INSTANTIATE_TEST_SUITE_P(MemRef, MemRefErrors, testing::ValuesIn(errorCases));
