//===- exp_test.cpp - exponentials of softmax -----------------------------===//
//
// heddle.exp_nonpositive and heddle.exp2_nonpositive compute e^x and 2^x for
// operands of at most 0, which a softmax needs after it subtracts the maximum.
//
//===----------------------------------------------------------------------===//

#include "Run.h"

using Floats = std::vector<double>;

/// The results for positive operands are undefined. The interpreter returns NaN for them, so that tests detect a
/// lowering that passes positive operands.
TEST(ExpNonPositive, ReturnsNanForPositiveOperands) {
  Runner runner;
  Floats values = runner.floats(R"mlir(func.func @main() -> vector<4xf32> {
    %x = arith.constant dense<[0.0, -1.0, 0x7FC00000, 0.5]> : vector<4xf32>
    %0 = heddle.exp2_nonpositive %x : vector<4xf32>
    return %0 : vector<4xf32>
  })mlir");
  ASSERT_EQ(values.size(), 4u);
  EXPECT_EQ(values[0], 1);
  EXPECT_EQ(values[1], 0.5);
  EXPECT_TRUE(std::isnan(values[2]) && std::isnan(values[3]));
  EXPECT_NEAR(runner.floats(R"mlir(func.func @main() -> vector<1xf32> {
    %x = arith.constant dense<-1.0> : vector<1xf32>
    %0 = heddle.exp_nonpositive %x : vector<1xf32>
    return %0 : vector<1xf32>
  })mlir")[0], std::exp(-1.0), 1e-15);
}
