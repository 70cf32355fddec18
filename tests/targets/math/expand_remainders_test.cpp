//===- expand_remainders_test.cpp - remainders equal fmod -----------------===//
//
// The pass heddle-expand-remainders expands arith.remf to integer operations.
// The results must have the same bits as those of std::fmod, which is exact.
//
//===----------------------------------------------------------------------===//

#include "Expanded.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::test {
namespace {

template <typename T> class RemainderTest : public testing::Test {
protected:
  using Word = std::conditional_t<std::is_same_v<T, float>, uint32_t, uint64_t>;

  void check(T x, T y) {
    T truth = std::fmod(x, y), result = remainder(x, y);
    if (std::isnan(truth)) {
      EXPECT_TRUE(std::isnan(result)) << "the remainder of " << x << " divided by " << y << " is " << result
                                      << ", expected NaN";
      return;
    }
    Word expected, found;
    std::memcpy(&expected, &truth, sizeof truth);
    std::memcpy(&found, &result, sizeof result);
    EXPECT_EQ(found, expected) << "the remainder of " << x << " divided by " << y << " is " << result << ", expected "
                               << truth;
  }
  T ofBits(Word word) {
    T x;
    std::memcpy(&x, &word, sizeof x);
    return x;
  }

  Expanded remainder{"remf", std::is_same_v<T, float> ? "f32" : "f64", "arith", /*binary=*/true};
  std::mt19937_64 random{1};
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(RemainderTest, Types);

TYPED_TEST(RemainderTest, RandomBits) {
  ASSERT_TRUE(this->remainder.ready());
  for (int i = 0; i < 20000; ++i)
    this->check(this->ofBits(this->random()), this->ofBits(this->random()));
}

// Tests quotients of up to 110 bits, remainders of integers, and numbers next to a multiple of the divisor.
TYPED_TEST(RemainderTest, QuotientsOfAllSizes) {
  using T = TypeParam;
  ASSERT_TRUE(this->remainder.ready());
  std::uniform_real_distribution<T> unit(-1, 1);
  for (int i = 0; i < 20000; ++i) {
    T y = unit(this->random), x = std::ldexp(unit(this->random), i % 120 - 10);
    this->check(x, y);
    this->check(std::round(T(100) * x), std::round(T(100) * y));
    this->check(std::nextafter(T(7) * y, x), y);
  }
}

TYPED_TEST(RemainderTest, DenormalsZerosInfinitiesAndNaNs) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  ASSERT_TRUE(this->remainder.ready());
  const T minimum = Limits::denorm_min(), normal = Limits::min(), maximum = Limits::max();
  const T special[] = {0,
                       -T(0),
                       minimum,
                       -minimum,
                       3 * minimum,
                       5 * minimum,
                       normal,
                       normal - minimum,
                       -normal,
                       1,
                       -1,
                       3,
                       T(0.1),
                       maximum,
                       -maximum,
                       normal + 7 * minimum,
                       maximum / 3,
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::quiet_NaN()};
  for (T x : special)
    for (T y : special)
      this->check(x, y);
}

} // namespace
} // namespace heddle::test
