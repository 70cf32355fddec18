//===- interpreter_test.cpp - calls, weights, errors ----------------------===//

#include "Run.h"

using Floats = std::vector<double>;
using heddle::Tensor;

TEST(Interpreter, CalledFunctionsAreInterpreted) {
  Runner runner;
  EXPECT_EQ(runner.floats(R"mlir(
  func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = arith.addf %x, %x : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = call @twice(%x) : (tensor<2xf32>) -> tensor<2xf32>
    %1 = call @twice(%0) : (tensor<2xf32>) -> tensor<2xf32>
    %2 = arith.addf %1, %x : tensor<2xf32>
    return %2 : tensor<2xf32>
  })mlir", {runner.f32({2}, {1, 2})}), Floats({5, 10}));
}

TEST(Interpreter, ArgumentsMustFit) {
  Runner runner;
  const char *text = R"mlir(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> })mlir";
  EXPECT_TRUE(failed(runner.run(text, {})));
  EXPECT_TRUE(failed(runner.run(text, {runner.f32({3}, {1, 2, 3})})));
  EXPECT_EQ(runner.errors, "'func.func' op takes 1 arguments, got 0\n"
                           "'func.func' op argument 0 must be 'tensor<2xf32>', got 'tensor<3xf32>'\n");
}

TEST(Interpreter, ArgumentsDetermineDynamicSizes) {
  Runner runner;
  auto results = runner.run(R"mlir(func.func @main(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
    %0 = arith.addf %x, %x : tensor<?x2xf32>
    return %0 : tensor<?x2xf32>
  })mlir", {runner.f32({1, 2}, {1, 2})});
  ASSERT_TRUE(succeeded(results)) << runner.errors;
  EXPECT_EQ((*results)[0].shape(), llvm::ArrayRef<int64_t>({1, 2}));
}

TEST(Interpreter, UnknownOpsAreNamed) {
  Runner runner;
  runner.context.allowUnregisteredDialects();
  EXPECT_TRUE(failed(runner.run(R"mlir(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "other.thing"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })mlir", {runner.f32({2}, {1, 2})})));
  EXPECT_EQ(runner.errors, "the interpreter does not support 'other.thing'\n");
}

TEST(Interpreter, WeightsComeFromTheOptions) {
  const char *text = R"mlir(func.func @main() -> tensor<2xf32> {
    %0 = heddle.weight "w" : tensor<2xf32>
    return %0 : tensor<2xf32>
  })mlir";
  Runner runner;
  EXPECT_TRUE(failed(runner.run(text)));
  EXPECT_EQ(runner.errors, "'heddle.weight' op names the weight 'w', but no weights were given\n");
  runner.options.weights = [&](heddle::WeightOp op) -> mlir::FailureOr<Tensor> {
    EXPECT_EQ(op.getName(), "w");
    return runner.f32({2}, {3, 4});
  };
  EXPECT_EQ(runner.floats(text), Floats({3, 4}));
}

TEST(Interpreter, WeightsMustFitTheirType) {
  Runner runner;
  runner.options.weights = [&](heddle::WeightOp) -> mlir::FailureOr<Tensor> { return runner.f32({1}, {3}); };
  EXPECT_TRUE(failed(runner.run(R"mlir(func.func @main() -> tensor<2xf32> {
    %0 = heddle.weight "w" : tensor<2xf32>
    return %0 : tensor<2xf32>
  })mlir")));
  EXPECT_EQ(runner.errors, "'heddle.weight' op computes 'tensor<1xf32>' where 'tensor<2xf32>' is declared\n");
}

TEST(Interpreter, EndlessRecursionAndHugeTensorsAreErrors) {
  Runner runner;
  EXPECT_TRUE(failed(runner.run(R"mlir(func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
    %0 = call @main(%x) : (tensor<1xf32>) -> tensor<1xf32>
    return %0 : tensor<1xf32>
  })mlir", {runner.f32({1}, {1})})));
  EXPECT_EQ(runner.errors, "'func.func' op is called at a depth of more than 100 calls (infinite recursion?)\n");
  runner.errors.clear();
  EXPECT_TRUE(failed(runner.run(R"mlir(func.func @main() -> tensor<4000000000x4000000000xf32> {
    %0 = tensor.empty() : tensor<4000000000x4000000000xf32>
    return %0 : tensor<4000000000x4000000000xf32>
  })mlir")));
  EXPECT_EQ(runner.errors, "'tensor.empty' op is too large to interpret: 'tensor<4000000000x4000000000xf32>'\n");
}

/// options.probe is a callback that receives each operation with its results.
TEST(Interpreter, TheProbeIsCalledWithEveryResult) {
  Runner runner;
  std::vector<std::string> seen;
  runner.options.probe = [&](mlir::Operation *op, llvm::ArrayRef<Tensor> results) {
    seen.push_back(op->getName().getStringRef().str() + " " + std::to_string(results[0].floats()[0]));
  };
  runner.floats(R"mlir(func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
    %0 = arith.addf %x, %x : tensor<1xf32>
    %1 = arith.mulf %0, %x : tensor<1xf32>
    return %1 : tensor<1xf32>
  })mlir", {runner.f32({1}, {3})});
  EXPECT_EQ(seen, std::vector<std::string>({"arith.addf 6.000000", "arith.mulf 18.000000"}));
}

/// Every op of the dialect has a reference, except for the ops that the test lists.
TEST(Interpreter, EveryHeddleOpHasAReference) {
  Runner runner;
  unsigned count = 0;
  for (mlir::RegisteredOperationName op : runner.context.getRegisteredOperations()) {
    // The interpreter does not evaluate accesses, size and sizes. dispatch has a test of its own, and yield is a
    // terminator.
    if (op.getDialectNamespace() != "heddle" ||
        llvm::is_contained({"dispatch", "accesses", "size", "sizes", "yield"}, op.stripDialect()))
      continue;
    EXPECT_TRUE(op.hasInterface<heddle::EvaluateInterface>()) << op.getStringRef().str() << " has no reference";
    ++count;
  }
  EXPECT_GE(count, 8u);
}
