//===- scf_test.cpp - scf operations in the interpreter -------------------===//

#include "Run.h"

using Floats = std::vector<double>;

TEST(Scf, ForHasLoopCarriedTensors) {
  Runner runner;
  EXPECT_EQ(runner.floats(R"mlir(func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %zero = arith.constant 0.0 : f32
    %sum, %prefix = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %zero, %out = %x) -> (f32, tensor<4xf32>) {
      %e = tensor.extract %x[%i] : tensor<4xf32>
      %n = arith.addf %s, %e : f32
      %o = tensor.insert %n into %out[%i] : tensor<4xf32>
      scf.yield %n, %o : f32, tensor<4xf32>
    }
    return %prefix : tensor<4xf32>
  })mlir", {runner.f32({4}, {1, 2, 3, 4})}), Floats({1, 3, 6, 10}));
}

TEST(Scf, StepsMustBePositive) {
  for (int64_t step : {0, -1})
    for (const char *loop : {"for %j = %c0 to %c0 step %i", "forall (%j) = (%c0) to (%c4) step (%i)"}) {
      Runner runner;
      std::string text =
          "func.func @main(%i: index) { %c0 = arith.constant 0 : index\n%c4 = arith.constant 4 : index\nscf.";
      EXPECT_TRUE(
          failed(runner.run(text + loop + " { }\nreturn }",
                            {heddle::Tensor({}, mlir::IndexType::get(&runner.context), std::vector<int64_t>{step})})));
      EXPECT_NE(runner.errors.find("has step " + std::to_string(step) + ", expected a positive step"),
                std::string::npos)
          << runner.errors;
    }
}

TEST(Scf, IfTakesOneBranch) {
  Runner runner;
  const char *text = R"mlir(func.func @main(%c: i1, %x: tensor<1xf32>) -> tensor<1xf32> {
    %0 = scf.if %c -> tensor<1xf32> {
      %1 = arith.addf %x, %x : tensor<1xf32>
      scf.yield %1 : tensor<1xf32>
    } else {
      scf.yield %x : tensor<1xf32>
    }
    return %0 : tensor<1xf32>
  })mlir";
  EXPECT_EQ(runner.floats(text, {runner.ints({}, 1, {1}), runner.f32({1}, {3})}), Floats({6}));
  EXPECT_EQ(runner.floats(text, {runner.ints({}, 1, {0}), runner.f32({1}, {3})}), Floats({3}));
}

/// The last of three iterations has a slice of one element, because 5 is not a multiple of the step 2.
TEST(Scf, ForallWritesItsSlices) {
  Runner runner;
  EXPECT_EQ(runner.floats(R"mlir(
  #size = affine_map<(i) -> (-i + 5, 2)>
  func.func @main(%x: tensor<5xf32>) -> tensor<5xf32> {
    %e = tensor.empty() : tensor<5xf32>
    %0 = scf.forall (%i) = (0) to (5) step (2) shared_outs(%out = %e) -> (tensor<5xf32>) {
      %n = affine.min #size(%i)
      %s = tensor.extract_slice %x[%i] [%n] [1] : tensor<5xf32> to tensor<?xf32>
      %d = arith.addf %s, %s : tensor<?xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %out[%i] [%n] [1] : tensor<?xf32> into tensor<5xf32>
      }
    }
    return %0 : tensor<5xf32>
  })mlir", {runner.f32({5}, {1, 2, 3, 4, 5})}), Floats({2, 4, 6, 8, 10}));
}

/// Each of three iterations doubles the shared output, initially 1. Since all iterations may run at once, each must
/// read the initial output, so the result is 2. It would be 8 if each iteration read the result of the previous one.
TEST(Scf, ForallIterationsReadTheInitialOutputs) {
  Runner runner;
  EXPECT_EQ(runner.floats(R"mlir(func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
    %0 = scf.forall (%i) in (3) shared_outs(%out = %x) -> (tensor<1xf32>) {
      %d = arith.addf %out, %out : tensor<1xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %d into %out[0] [1] [1] : tensor<1xf32> into tensor<1xf32>
      }
    }
    return %0 : tensor<1xf32>
  })mlir", {runner.f32({1}, {1})}), Floats({2}));
}
