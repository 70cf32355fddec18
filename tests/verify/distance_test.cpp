//===- distance_test.cpp - distances between results ----------------------===//
//
// The distance between two results consists of the largest error of an element,
// the largest magnitude of an element of the second result, and the smallest
// cosine of two corresponding rows.
//
//===----------------------------------------------------------------------===//

#include "heddle/Distance.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace heddle;

static mlir::MLIRContext context;

static Tensor tensor(llvm::SmallVector<int64_t> shape, std::vector<double> elements) {
  return Tensor(shape, mlir::Float32Type::get(&context), std::move(elements));
}

TEST(Distance, TheWorstRowAndTheLargestError) {
  Distance distance = distanceBetween(tensor({2, 2}, {3, 4, 1, 0}), tensor({2, 2}, {3, 4.5, 1, 1}));
  EXPECT_EQ(distance.error, 1);
  EXPECT_EQ(distance.magnitude, 4.5);
  EXPECT_NEAR(distance.cosine, std::sqrt(0.5), 1e-15);
}

TEST(Distance, EqualRowsHaveCosineOne) {
  EXPECT_EQ(distanceBetween(tensor({3}, {0.1, 0.2, 0.3}), tensor({3}, {0.1, 0.2, 0.3})).cosine, 1);
  EXPECT_EQ(distanceBetween(tensor({2}, {0, 0}), tensor({2}, {0, 0})).cosine, 1);
  EXPECT_EQ(distanceBetween(tensor({2}, {0, 0}), tensor({2}, {1, 0})).cosine, 0);
  EXPECT_EQ(distanceBetween(tensor({}, {2}), tensor({}, {-3})).cosine, -1);
  EXPECT_EQ(distanceBetween(tensor({0, 4}, {}), tensor({0, 4}, {})).cosine, 1);
}

TEST(Distance, NonFiniteElementsMustAgree) {
  double nan = std::nan(""), inf = INFINITY;
  Distance alike = distanceBetween(tensor({4}, {nan, inf, 1, 2}), tensor({4}, {nan, inf, 1, 4}));
  EXPECT_EQ(alike.error, 2);
  EXPECT_EQ(alike.magnitude, 4);
  EXPECT_NEAR(alike.cosine, 9 / std::sqrt(5 * 17), 1e-15);
  EXPECT_EQ(distanceBetween(tensor({2}, {nan, 1}), tensor({2}, {1, 1})).error, inf);
  EXPECT_TRUE(std::isnan(distanceBetween(tensor({2, 1}, {nan, 1}), tensor({2, 1}, {1, 1})).cosine));
  EXPECT_TRUE(std::isnan(distanceBetween(tensor({2}, {inf, 1}), tensor({2}, {-inf, 1})).cosine));
}

TEST(Distance, TheWorseOfTwoDistances) {
  Distance a{1, 2, 0.5}, b{3, 1, 0.9}, bad{0, 0, std::nan("")};
  EXPECT_EQ(worse(a, b).error, 3);
  EXPECT_EQ(worse(a, b).magnitude, 2);
  EXPECT_EQ(worse(a, b).cosine, 0.5);
  EXPECT_TRUE(std::isnan(worse(a, bad).cosine));
  EXPECT_TRUE(std::isnan(worse(bad, a).cosine));
}

TEST(Distance, TextIsRoundedTowardsWorse) {
  EXPECT_EQ((Distance{0.0127, 5.95, 0.9992199}).text(), "largest error 0.0127 of 5.95, worst cosine of a row 0.999219");
  EXPECT_EQ((Distance{0, 1, 0.99999999}).text(), "largest error 0 of 1, worst cosine of a row 0.999999990");
  EXPECT_EQ((Distance{0, 1, 1}).text(), "largest error 0 of 1, worst cosine of a row 1.000000");
  EXPECT_EQ((Distance{0, 1, std::nan("")}).text(), "largest error 0 of 1, worst cosine of a row nan");
}

TEST(Distance, CosinesNearOneArePrintedWithEnoughDigits) {
  EXPECT_EQ(cosineText(0.9999996), "0.99999960");
  EXPECT_EQ(cosineText(0.9999996789), "0.99999967");
  EXPECT_EQ(cosineText(1 - 1e-15), "0.999999999999");
  EXPECT_EQ(cosineText(0.5), "0.500000");
  EXPECT_EQ(cosineText(-0.1234567), "-0.123457");
  EXPECT_EQ(cosineText(1), "1.000000");
}
