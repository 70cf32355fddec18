//===- linalg_test.cpp - linalg operations in the interpreter -------------===//

#include "Run.h"

using Floats = std::vector<double>;
using Ints = std::vector<int64_t>;
using heddle::Tensor;

/// The output operand is an addend: the products are added to its initial elements.
TEST(Linalg, MatmulAddsToItsOutput) {
  Runner runner;
  const char *text = R"mlir(func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>, %c: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = linalg.matmul ins(%a, %b : tensor<2x3xf32>, tensor<3x2xf32>) outs(%c : tensor<2x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  })mlir";
  llvm::SmallVector<Tensor> arguments = {runner.f32({2, 3}, {1, 2, 3, 4, 5, 6}),
                                         runner.f32({3, 2}, {1, 0, 0, 1, 1, 1}), runner.f32({2, 2}, {10, 0, 0, 10})};
  EXPECT_EQ(runner.floats(text, arguments), Floats({14, 5, 10, 21}));
  runner.options.precision = heddle::Precision::F32;
  EXPECT_EQ(runner.floats(text, arguments), Floats({14, 5, 10, 21}));
}

/// Together, the sizes use every tile shape of `contract`, the function with which the interpreter computes products of
/// matrices (dialect/interpreter/Contraction.h). Sums of small integers are exact, so results must be equal.
TEST(Linalg, MatmulOfAllSizes) {
  Runner runner;
  for (auto precision : {heddle::Precision::F64, heddle::Precision::F32})
    for (int64_t m : {1, 3, 4, 9})
      for (int64_t n : {1, 7, 16, 33, 70})
        for (int64_t k : {1, 5, 300}) {
          Tensor a = runner.f32({m, k}, Floats(m * k)), b = runner.f32({k, n}, Floats(k * n));
          for (int64_t i = 0; i < m * k; ++i)
            a.mutableFloats()[i] = (i * 7 + i / 5) % 11 - 5;
          for (int64_t i = 0; i < k * n; ++i)
            b.mutableFloats()[i] = (i * 5 + i / 3) % 13 - 6;
          std::string text;
          llvm::raw_string_ostream(text) << "func.func @main(%a: " << a.tensorType() << ", %b: " << b.tensorType()
                                         << ") -> tensor<" << m << "x" << n << "xf32> {\n"
                                         << "  %z = arith.constant dense<0.0> : tensor<" << m << "x" << n << "xf32>\n"
                                         << "  %0 = linalg.matmul ins(%a, %b : " << a.tensorType() << ", "
                                         << b.tensorType() << ") outs(%z : tensor<" << m << "x" << n
                                         << "xf32>) -> tensor<" << m << "x" << n << "xf32>\n  return %0 : tensor<" << m
                                         << "x" << n << "xf32>\n}";
          runner.options.precision = precision;
          Floats actual = runner.floats(text, {a, b}), expected(m * n);
          for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j)
              for (int64_t l = 0; l < k; ++l)
                expected[i * n + j] += a.floats()[i * k + l] * b.floats()[l * n + j];
          ASSERT_EQ(actual, expected) << m << "x" << n << "x" << k;
        }
}

/// In f32, 2^24 + 1 is rounded to 2^24: if 2^24 and ones are added from left to right, all ones are lost.
TEST(Linalg, SumsInF32AreAddedFromLeftToRight) {
  const char *text = R"mlir(func.func @main(%a: tensor<1x5xf32>, %b: tensor<5x20xf32>) -> tensor<1x20xf32> {
    %z = arith.constant dense<0.0> : tensor<1x20xf32>
    %0 = linalg.matmul ins(%a, %b : tensor<1x5xf32>, tensor<5x20xf32>) outs(%z : tensor<1x20xf32>) -> tensor<1x20xf32>
    return %0 : tensor<1x20xf32>
  })mlir";
  Runner runner;
  llvm::SmallVector<Tensor> arguments = {runner.f32({1, 5}, {16777216, 1, 1, 1, 1}), runner.f32({5, 20}, Floats(100, 1))};
  EXPECT_EQ(runner.floats(text, arguments), Floats(20, 16777220));
  runner.options.precision = heddle::Precision::F32;
  EXPECT_EQ(runner.floats(text, arguments), Floats(20, 16777216));
}

TEST(Linalg, BatchMatmulWithATransposedOperand) {
  Runner runner;
  EXPECT_EQ(runner.floats(R"mlir(
  #a = affine_map<(b, m, n, k) -> (b, m, k)>
  #b = affine_map<(b, m, n, k) -> (b, n, k)>
  #c = affine_map<(b, m, n, k) -> (b, m, n)>
  func.func @main(%a: tensor<2x1x2xf32>, %b: tensor<2x2x2xf32>) -> tensor<2x1x2xf32> {
    %z = arith.constant dense<0.0> : tensor<2x1x2xf32>
    %0 = linalg.batch_matmul indexing_maps = [#a, #b, #c] ins(%a, %b : tensor<2x1x2xf32>, tensor<2x2x2xf32>)
      outs(%z : tensor<2x1x2xf32>) -> tensor<2x1x2xf32>
    return %0 : tensor<2x1x2xf32>
  })mlir", {runner.f32({2, 1, 2}, {1, 2, 3, 4}), runner.f32({2, 2, 2}, {1, 1, 2, 0, 1, 0, 0, 1})}),
            Floats({3, 2, 3, 4}));
}

/// In an embedding lookup, an index outside of the table must be an error, not a read of other memory.
TEST(Linalg, GatherThroughExtract) {
  const char *text = R"mlir(func.func @main(%table: tensor<3x2xf32>, %ids: tensor<4xi64>) -> tensor<4x2xf32> {
    %e = tensor.empty() : tensor<4x2xf32>
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                         iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<4xi64>) outs(%e : tensor<4x2xf32>) {
    ^bb0(%id: i64, %out: f32):
      %row = arith.index_cast %id : i64 to index
      %column = linalg.index 1 : index
      %x = tensor.extract %table[%row, %column] : tensor<3x2xf32>
      linalg.yield %x : f32
    } -> tensor<4x2xf32>
    return %0 : tensor<4x2xf32>
  })mlir";
  Runner runner;
  Tensor table = runner.f32({3, 2}, {0, 1, 10, 11, 20, 21});
  EXPECT_EQ(runner.floats(text, {table, runner.ints({4}, 64, {2, 0, 1, 2})}), Floats({20, 21, 0, 1, 10, 11, 20, 21}));
  EXPECT_TRUE(failed(runner.run(text, {table, runner.ints({4}, 64, {2, 3, 1, 2})})));
  EXPECT_EQ(runner.errors, "'tensor.extract' op index 3 is out of range for dimension 0 of size 3\n");
}

/// After bufferization, the body of a linalg.generic loads from a buffer. An index outside of it must be an error, too.
TEST(Linalg, GatherThroughLoad) {
  const char *text = R"mlir(func.func @main(%ids: tensor<4xi64>) -> tensor<4xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %x0 = arith.constant 10.0 : f32
    %x1 = arith.constant 20.0 : f32
    %table = memref.alloc() : memref<2xf32>
    memref.store %x0, %table[%c0] : memref<2xf32>
    memref.store %x1, %table[%c1] : memref<2xf32>
    %e = tensor.empty() : tensor<4xf32>
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%ids : tensor<4xi64>) outs(%e : tensor<4xf32>) {
    ^bb0(%id: i64, %out: f32):
      %row = arith.index_cast %id : i64 to index
      %x = memref.load %table[%row] : memref<2xf32>
      linalg.yield %x : f32
    } -> tensor<4xf32>
    return %0 : tensor<4xf32>
  })mlir";
  Runner runner;
  EXPECT_EQ(runner.floats(text, {runner.ints({4}, 64, {1, 0, 0, 1})}), Floats({20, 10, 10, 20}));
  EXPECT_TRUE(failed(runner.run(text, {runner.ints({4}, 64, {1, 0, 2, 1})})));
  EXPECT_EQ(runner.errors, "'memref.load' op index 2 is out of range for dimension 0 of size 2\n");
}

/// The reduction adds to its initial value, 100.
TEST(Linalg, ReduceTransposeBroadcast) {
  Runner runner;
  Tensor x = runner.f32({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(runner.floats(R"mlir(func.func @main(%x: tensor<2x3xf32>) -> tensor<2xf32> {
    %z = arith.constant dense<100.0> : tensor<2xf32>
    %0 = linalg.reduce ins(%x : tensor<2x3xf32>) outs(%z : tensor<2xf32>) dimensions = [1]
      (%a: f32, %b: f32) {
        %s = arith.addf %a, %b : f32
        linalg.yield %s : f32
      }
    return %0 : tensor<2xf32>
  })mlir", {x}), Floats({106, 115}));
  EXPECT_EQ(runner.floats(R"mlir(func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
    %e = tensor.empty() : tensor<3x2xf32>
    %0 = linalg.transpose ins(%x : tensor<2x3xf32>) outs(%e : tensor<3x2xf32>) permutation = [1, 0]
    return %0 : tensor<3x2xf32>
  })mlir", {x}), Floats({1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(runner.floats(R"mlir(func.func @main(%x: tensor<2x3xf32>) -> tensor<2x2x3xf32> {
    %e = tensor.empty() : tensor<2x2x3xf32>
    %0 = linalg.broadcast ins(%x : tensor<2x3xf32>) outs(%e : tensor<2x2x3xf32>) dimensions = [0]
    return %0 : tensor<2x2x3xf32>
  })mlir", {x}), Floats({1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}));
}

TEST(Linalg, ReduceEverything) {
  Runner runner;
  EXPECT_EQ(runner.floats(R"mlir(func.func @main(%x: tensor<2x3xf32>) -> tensor<f32> {
    %c = arith.constant 1.0 : f32
    %e = tensor.empty() : tensor<f32>
    %z = linalg.fill ins(%c : f32) outs(%e : tensor<f32>) -> tensor<f32>
    %0 = linalg.reduce { arith.mulf } ins(%x : tensor<2x3xf32>) outs(%z : tensor<f32>) dimensions = [0, 1]
    return %0 : tensor<f32>
  })mlir", {runner.f32({2, 3}, {1, 2, 3, 4, 5, 6})}), Floats({720}));
}

/// The interpreter evaluates the body for a limited number of elements at a time. linalg.index must be right in every
/// part.
TEST(Linalg, LongDimensionsAreComputedInParts) {
  Runner runner;
  auto result = runner.floats(R"mlir(func.func @main() -> tensor<1000xf32> {
    %e = tensor.empty() : tensor<1000xf32>
    %two = arith.constant 2.0 : f32
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<1000xf32>) {
    ^bb0(%out: f32):
      %i = linalg.index 0 : index
      %j = arith.index_cast %i : index to i64
      %x = arith.sitofp %j : i64 to f32
      %y = arith.mulf %x, %two : f32
      linalg.yield %y : f32
    } -> tensor<1000xf32>
    return %0 : tensor<1000xf32>
  })mlir");
  ASSERT_EQ(result.size(), 1000u);
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(result[i], 2 * i);
}

TEST(Linalg, SoftmaxAlongEitherDimension) {
  Runner runner;
  Tensor x = runner.f32({2, 2}, {0, 1, 2, -INFINITY});
  expectNear(runner.floats(R"mlir(func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %e = tensor.empty() : tensor<2x2xf32>
    %0 = linalg.softmax dimension(1) ins(%x : tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  })mlir", {x}), {0.2689414, 0.7310586, 1, 0});
  expectNear(runner.floats(R"mlir(func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %e = tensor.empty() : tensor<2x2xf32>
    %0 = linalg.softmax dimension(0) ins(%x : tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  })mlir", {x}), {0.1192029, 1, 0.8807971, 0});
}

/// Each row has no finite maximum or contains NaN, so its softmax is NaN.
TEST(Linalg, SoftmaxOfMinusInfinityAndNan) {
  Runner runner;
  expectNear(runner.floats(R"mlir(func.func @main(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %e = tensor.empty() : tensor<3x2xf32>
    %0 = linalg.softmax dimension(1) ins(%x : tensor<3x2xf32>) outs(%e : tensor<3x2xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  })mlir", {runner.f32({3, 2}, {-INFINITY, -INFINITY, NAN, 0, INFINITY, 0})}), {NAN, NAN, NAN, NAN, NAN, NAN});
}

/// The packed dimension has 3 elements, which is not a multiple of the tile of 2: packing adds a zero, and unpacking
/// drops it.
TEST(Linalg, PackAndUnpack) {
  Runner runner;
  EXPECT_EQ(runner.floats(R"mlir(func.func @main(%x: tensor<2x3xf32>) -> tensor<2x2x2xf32> {
    %z = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<2x2x2xf32>
    %0 = linalg.pack %x padding_value(%z : f32) outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [2] into %e
      : tensor<2x3xf32> -> tensor<2x2x2xf32>
    return %0 : tensor<2x2x2xf32>
  })mlir", {runner.f32({2, 3}, {1, 2, 3, 4, 5, 6})}), Floats({1, 2, 4, 5, 3, 0, 6, 0}));
  EXPECT_EQ(runner.floats(R"mlir(func.func @main(%x: tensor<2x2x2xf32>) -> tensor<2x3xf32> {
    %e = tensor.empty() : tensor<2x3xf32>
    %0 = linalg.unpack %x outer_dims_perm = [1, 0] inner_dims_pos = [1] inner_tiles = [2] into %e
      : tensor<2x2x2xf32> -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  })mlir", {runner.f32({2, 2, 2}, {1, 2, 4, 5, 3, 0, 6, 0})}), Floats({1, 2, 3, 4, 5, 6}));
}

/// The interpreter has no special case for convolutions. It evaluates them like a linalg.generic.
TEST(Linalg, ConvolutionIsEvaluatedThroughItsBody) {
  Runner runner;
  EXPECT_EQ(runner.floats(R"mlir(func.func @main(%x: tensor<4xf32>, %w: tensor<2xf32>) -> tensor<3xf32> {
    %z = arith.constant dense<0.0> : tensor<3xf32>
    %0 = linalg.conv_1d ins(%x, %w : tensor<4xf32>, tensor<2xf32>) outs(%z : tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  })mlir", {runner.f32({4}, {1, 2, 3, 4}), runner.f32({2}, {1, 10})}), Floats({21, 32, 43}));
}

/// The fast path for contractions must ignore the third input, which the body does not use.
TEST(Linalg, AContractionMayHaveInputsThatItDoesNotUse) {
  Runner runner;
  EXPECT_EQ(runner.floats(R"mlir(func.func @main(%a: tensor<1x2xf32>, %b: tensor<2x2xf32>, %c: tensor<1x2xf32>) -> tensor<1x2xf32> {
    %line = tensor.extract_slice %b[0, 0] [2, 1] [1, 1] : tensor<2x2xf32> to tensor<2xf32>
    %0 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>,
                                          affine_map<(m, n, k) -> (k)>, affine_map<(m, n, k) -> (m, n)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b, %line : tensor<1x2xf32>, tensor<2x2xf32>, tensor<2xf32>) outs(%c : tensor<1x2xf32>) {
    ^bb0(%x: f32, %y: f32, %unused: f32, %o: f32):
      %1 = arith.mulf %x, %y : f32
      %2 = arith.addf %o, %1 : f32
      linalg.yield %2 : f32
    } -> tensor<1x2xf32>
    return %0 : tensor<1x2xf32>
  })mlir", {runner.f32({1, 2}, {1, 2}), runner.f32({2, 2}, {3, 4, 5, 6}), runner.f32({1, 2}, {10, 20})}),
            std::vector<double>({23, 36}));
}

TEST(Linalg, PrefetchingHasNoEffect) {
  Runner runner;
  EXPECT_EQ(runner.floats(R"mlir(func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %i = arith.constant 1 : index
    %m = bufferization.to_buffer %a read_only : tensor<2xf32> to memref<2xf32>
    memref.prefetch %m[%i], read, locality<3>, data : memref<2xf32>
    return %a : tensor<2xf32>
  })mlir", {runner.f32({2}, {1, 2})}), std::vector<double>({1, 2}));
}

/// Before bufferization, only memref.prefetch uses buffers of tensors, so the interpreter gives them no memory. A load
/// from such a buffer must be an error.
TEST(Linalg, AReadOnlyBufferOfATensorHasNoMemory) {
  Runner runner;
  EXPECT_TRUE(failed(runner.run(R"mlir(func.func @main(%a: tensor<2xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %m = bufferization.to_buffer %a read_only : tensor<2xf32> to memref<2xf32>
    memref.prefetch %m[%c0], read, locality<3>, data : memref<2xf32>
    %0 = memref.load %m[%c0] : memref<2xf32>
    return %0 : f32
  })mlir", {runner.f32({2}, {1, 2})})));
  EXPECT_EQ(runner.errors, "'memref.load' op accesses the element at byte 0 of a memory of 0 bytes\n");
}

TEST(Linalg, AWritableBufferOfATensorIsAnError) {
  Runner runner;
  EXPECT_TRUE(failed(runner.run(R"mlir(func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %m = bufferization.to_buffer %a : tensor<2xf32> to memref<2xf32>
    return %a : tensor<2xf32>
  })mlir", {runner.f32({2}, {1, 2})})));
  EXPECT_EQ(runner.errors, "the interpreter does not support buffers that share memory with tensors\n");
}

/// Tests indexing maps and affine.apply with floordiv, ceildiv, mod and symbols.
TEST(Linalg, AffineMapsOfAnyKind) {
  Runner runner;
  EXPECT_EQ(runner.integers(R"mlir(func.func @main(%x: tensor<2x3xi32>) -> tensor<6xi32> {
    %e = tensor.empty() : tensor<6xi32>
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 3, i mod 3)>, affine_map<(i) -> (i)>],
                         iterator_types = ["parallel"]} ins(%x : tensor<2x3xi32>) outs(%e : tensor<6xi32>) {
    ^bb0(%a: i32, %o: i32):
      %i = linalg.index 0 : index
      %j = affine.apply affine_map<(d0)[s0] -> (d0 ceildiv 2 - s0)>(%i)[%i]
      %n = arith.index_cast %j : index to i32
      %s = arith.addi %a, %n : i32
      linalg.yield %s : i32
    } -> tensor<6xi32>
    return %0 : tensor<6xi32>
  })mlir", {runner.ints({2, 3}, 32, {10, 20, 30, 40, 50, 60})}), Ints({10, 20, 29, 39, 48, 58}));
}

/// The six iterations read elements 0, 1 and 2 of the input, which has only two elements. The size of the input is
/// dynamic in its type, so the verifier cannot detect this.
TEST(Linalg, AnAffineMapOutOfBoundsIsAnError) {
  Runner runner;
  EXPECT_TRUE(failed(runner.run(R"mlir(func.func @main(%x: tensor<?xi32>) -> tensor<6xi32> {
    %e = tensor.empty() : tensor<6xi32>
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i floordiv 2)>, affine_map<(i) -> (i)>],
                         iterator_types = ["parallel"]} ins(%x : tensor<?xi32>) outs(%e : tensor<6xi32>) {
    ^bb0(%a: i32, %o: i32):
      linalg.yield %a : i32
    } -> tensor<6xi32>
    return %0 : tensor<6xi32>
  })mlir", {runner.ints({2}, 32, {1, 2})})));
  EXPECT_NE(runner.errors.find("index 2 is out of range for dimension 0 of size 2"), std::string::npos)
      << runner.errors;
}
