//===- random_inputs_test.cpp - random inputs from a seed -----------------===//
//
// randomInputs fills the inputs of a model: floats are normally distributed,
// integers are in their range, and masks keep at least the first element of
// each row.
//
//===----------------------------------------------------------------------===//

#include "Run.h"
#include "heddle/Verify.h"

using namespace heddle;

/// Returns random inputs for the function @main of the module `text`.
static mlir::FailureOr<llvm::SmallVector<Tensor>> inputs(Runner &runner, llvm::StringRef text, uint64_t seed) {
  runner.module = mlir::parseSourceString<mlir::ModuleOp>(text, &runner.context);
  return randomInputs(runner.module->lookupSymbol<mlir::func::FuncOp>("main"), seed);
}

TEST(RandomInputs, AreNormalAndDependOnlyOnTheSeed) {
  Runner runner;
  const char *text = "func.func @main(%x: tensor<10000xf32>) { return }";
  auto first = inputs(runner, text, 1), again = inputs(runner, text, 1), other = inputs(runner, text, 2);
  ASSERT_TRUE(succeeded(first));
  EXPECT_EQ((*first)[0].floats(), (*again)[0].floats());
  EXPECT_NE((*first)[0].floats(), (*other)[0].floats());
  double sum = 0, squares = 0;
  for (double x : (*first)[0].floats()) {
    sum += x;
    squares += x * x;
    EXPECT_EQ(x, double(float(x)));
  }
  EXPECT_NEAR(sum / 10000, 0, 0.05);
  EXPECT_NEAR(squares / 10000, 1, 0.05);
}

TEST(RandomInputs, IndicesStayInRangeAndReachItsEnds) {
  Runner runner;
  auto values = inputs(runner, R"mlir(func.func @main(
    %ids: tensor<200xi64> {heddle.range = array<i64: -2, 3>}, %bits: tensor<20xi64>) { return })mlir", 3);
  ASSERT_TRUE(succeeded(values));
  EXPECT_EQ(*llvm::min_element((*values)[0].ints()), -2);
  EXPECT_EQ(*llvm::max_element((*values)[0].ints()), 3);
  for (int64_t bit : (*values)[1].ints())
    EXPECT_TRUE(bit == 0 || bit == 1);
}

TEST(RandomInputs, MasksKeepTheFirstElementOfEachRow) {
  Runner runner;
  auto values = inputs(runner, R"mlir(func.func @main(
    %mask: tensor<50x4xi1>, %tokens: tensor<50x4xi64> {heddle.name = "attention_mask", heddle.range = array<i64: 0, 1>}) {
    return
  })mlir", 4);
  ASSERT_TRUE(succeeded(values));
  bool anyFalse = false;
  for (int64_t row = 0; row < 50; ++row) {
    EXPECT_EQ((*values)[0].ints()[4 * row], 1);
    EXPECT_EQ((*values)[1].ints()[4 * row], 1);
    for (int64_t i = 1; i < 4; ++i) {
      anyFalse |= !(*values)[0].ints()[4 * row + i];
      EXPECT_LE((*values)[1].ints()[4 * row + i], (*values)[1].ints()[4 * row + i - 1]);
    }
  }
  EXPECT_TRUE(anyFalse);
}

TEST(RandomInputs, DynamicSizesAreAnError) {
  Runner runner;
  EXPECT_TRUE(failed(inputs(runner, "func.func @main(%x: tensor<?xf32>) { return }", 1)));
  EXPECT_EQ(runner.errors, "'func.func' op argument 0 of type 'tensor<?xf32>' cannot be filled with random numbers: "
                           "expected a tensor of static shape\n");
}
