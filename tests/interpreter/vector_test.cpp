//===- vector_test.cpp - vector operations in the interpreter -------------===//

#include "Run.h"

using Floats = std::vector<double>;

TEST(Vector, OutOfBoundsLanesArePaddedOrSkipped) {
  Runner runner;
  EXPECT_EQ(runner.floats(R"mlir(func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %nine = arith.constant 9.0 : f32
    %v = vector.transfer_read %x[%c1, %c1], %nine : tensor<2x3xf32>, vector<4xf32>
    %w = arith.addf %v, %v : vector<4xf32>
    %r = vector.shuffle %w, %w [3, 0, 1, 2] : vector<4xf32>, vector<4xf32>
    %0 = vector.transfer_write %r, %x[%c0, %c0] : vector<4xf32>, tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  })mlir", {runner.f32({2, 3}, {1, 2, 3, 4, 5, 6})}), Floats({18, 10, 12, 4, 5, 6}));
}

TEST(Vector, AnOutOfBoundsLaneDeclaredInBoundsIsAnError) {
  Runner runner;
  EXPECT_TRUE(failed(runner.run(R"mlir(func.func @main(%x: tensor<3xf32>, %i: index) -> vector<2xf32> {
    %nine = arith.constant 9.0 : f32
    %v = vector.transfer_read %x[%i], %nine {in_bounds = [true]} : tensor<3xf32>, vector<2xf32>
    return %v : vector<2xf32>
  })mlir", {runner.f32({3}, {1, 2, 3}), heddle::Tensor({}, mlir::IndexType::get(&runner.context),
                                                        std::vector<int64_t>{2})})));
  EXPECT_EQ(runner.errors,
            "'vector.transfer_read' op accesses elements outside its tensor of shape 'tensor<3xf32>' along "
            "a dimension that is declared in bounds\n");
}

TEST(Vector, OpsThatMoveElements) {
  Runner runner;
  EXPECT_EQ(runner.floats(R"mlir(func.func @main() -> vector<3x2xf32> {
    %a = arith.constant dense<[1.0, 2.0]> : vector<2xf32>
    %b = vector.broadcast %a : vector<2xf32> to vector<3x2xf32>
    %one = vector.extract %b[0, 1] : f32 from vector<3x2xf32>
    %c = vector.insert %one, %b [2, 0] : f32 into vector<3x2xf32>
    %d = arith.constant dense<7.0> : vector<1x1xf32>
    %e = vector.insert_strided_slice %d, %c {offsets = [1, 1], strides = [1, 1]} : vector<1x1xf32> into vector<3x2xf32>
    %f = vector.transpose %e, [1, 0] : vector<3x2xf32> to vector<2x3xf32>
    %g = vector.shape_cast %f : vector<2x3xf32> to vector<3x2xf32>
    return %g : vector<3x2xf32>
  })mlir"), Floats({1, 1, 2, 2, 7, 2}));
}

TEST(Vector, PositionsOutsideOfAVectorAreErrors) {
  for (int64_t position : {-1, 4, 100}) {
    Runner runner;
    heddle::Tensor index({}, mlir::IndexType::get(&runner.context), std::vector<int64_t>{position});
    std::string problem = " op position " + std::to_string(position) + " is out of range 0..3\n";
    EXPECT_TRUE(failed(runner.run(R"mlir(func.func @main(%i: index) -> f32 {
      %v = arith.constant dense<1.0> : vector<4xf32>
      %0 = vector.extract %v[%i] : f32 from vector<4xf32>
      return %0 : f32
    })mlir",
                                  {index})));
    EXPECT_EQ(runner.errors, "'vector.extract'" + problem);
    runner.errors.clear();
    EXPECT_TRUE(failed(runner.run(R"mlir(func.func @main(%i: index) -> vector<4xf32> {
      %v = arith.constant dense<1.0> : vector<4xf32>
      %x = arith.constant 2.0 : f32
      %0 = vector.insert %x, %v[%i] : f32 into vector<4xf32>
      return %0 : vector<4xf32>
    })mlir",
                                  {index})));
    EXPECT_EQ(runner.errors, "'vector.insert'" + problem);
  }
}

TEST(Vector, BitcastReinterpretsBytes) {
  Runner runner;
  EXPECT_EQ(runner.integers(R"mlir(func.func @main() -> vector<2xi32> {
    %a = arith.constant dense<[1, 2, -1, 0, 0, 0, 0, -128]> : vector<8xi8>
    %b = vector.bitcast %a : vector<8xi8> to vector<2xi32>
    return %b : vector<2xi32>
  })mlir"), std::vector<int64_t>({0x00ff0201, int32_t(0x80000000)}));
}

TEST(Vector, StepAndFromElements) {
  Runner runner;
  EXPECT_EQ(runner.integers(R"mlir(func.func @main() -> vector<4xindex> {
    %seven = arith.constant 7 : index
    %step = vector.step : vector<4xindex>
    %nine = arith.constant 9 : index
    %elements = vector.from_elements %seven, %nine, %nine, %seven : vector<4xindex>
    %0 = arith.addi %step, %elements : vector<4xindex>
    return %0 : vector<4xindex>
  })mlir"), std::vector<int64_t>({7, 10, 11, 10}));
}

/// -5 is 251 as an unsigned i8, and true is -1 as a signed i1, so signed and unsigned reductions have different
/// results.
TEST(Vector, ReductionsOfSignedAndUnsignedIntegers) {
  Runner runner;
  auto reduced = [&](std::string kind) {
    return runner.integers("func.func @main() -> tensor<2xi8> {\n"
                       "%a = arith.constant dense<[3, -5, 7]> : vector<3xi8>\n"
                       "%b = arith.constant dense<[true, false, true]> : vector<3xi1>\n"
                       "%x = vector.reduction <" + kind + ">, %a : vector<3xi8> into i8\n"
                       "%bit = vector.reduction <" + kind + ">, %b : vector<3xi1> into i1\n"
                       "%y = arith.extui %bit : i1 to i8\n"
                       "%0 = tensor.from_elements %x, %y : tensor<2xi8>\n"
                       "return %0 : tensor<2xi8>\n}");
  };
  EXPECT_EQ(reduced("maxsi"), std::vector<int64_t>({7, 0}));
  EXPECT_EQ(reduced("minsi"), std::vector<int64_t>({-5, 1}));
  EXPECT_EQ(reduced("maxui"), std::vector<int64_t>({-5, 1}));
  EXPECT_EQ(reduced("minui"), std::vector<int64_t>({3, 0}));
}

/// The product 16777215^2 is not an f32: the difference would be 0 if the product were rounded before the addition. In
/// the reduction, 2^24 + 1 is rounded to 2^24 twice.
TEST(Vector, FmaRoundsOnceReductionsRoundEachSum) {
  Runner runner;
  runner.options.precision = heddle::Precision::F32;
  EXPECT_EQ(runner.floats(R"mlir(func.func @main() -> vector<1xf32> {
    %a = arith.constant dense<16777215.0> : vector<1xf32>
    %b = arith.constant dense<-281474943156225.0> : vector<1xf32>
    %0 = vector.fma %a, %a, %b : vector<1xf32>
    return %0 : vector<1xf32>
  })mlir"), Floats({16777215.0 * 16777215.0 - double(float(281474943156225.0))}));
  EXPECT_EQ(runner.floats(R"mlir(func.func @main() -> tensor<f32> {
    %a = arith.constant dense<[16777216.0, 1.0, 1.0]> : vector<3xf32>
    %s = vector.reduction <add>, %a : vector<3xf32> into f32
    %0 = tensor.from_elements %s : tensor<f32>
    return %0 : tensor<f32>
  })mlir"), Floats({16777216}));
}

TEST(Vector, MaskedWrite) {
  Runner runner;
  EXPECT_EQ(runner.floats(R"mlir(func.func @main(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
    %c0 = arith.constant 0 : index
    %v = arith.constant dense<9.0> : vector<4xf32>
    %m = vector.create_mask %n : vector<4xi1>
    %0 = vector.transfer_write %v, %x[%c0], %m {in_bounds = [true]} : vector<4xf32>, tensor<4xf32>
    return %0 : tensor<4xf32>
  })mlir", {runner.f32({4}, {1, 2, 3, 4}), heddle::Tensor({}, mlir::IndexType::get(&runner.context),
                                                           std::vector<int64_t>{2})}),
            Floats({9, 9, 3, 4}));
}
