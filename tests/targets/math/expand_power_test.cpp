//===- expand_power_test.cpp - accuracy of powers -------------------------===//
//
// Compares math.powf and math.exp2, expanded by the pass heddle-expand-math in
// f32 and f64, with the functions of the C++ library in the next wider type.
//
//===----------------------------------------------------------------------===//

#include "Expanded.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::test {
namespace {

template <typename T>
class PowerTest : public testing::Test {
protected:
  using Truth = std::conditional_t<std::is_same_v<T, float>, double, long double>;
  static constexpr const char *type = std::is_same_v<T, float> ? "f32" : "f64";
  // The maximum relative error is 0.8 times the machine epsilon.
  static constexpr double bound = 0.8 * std::numeric_limits<T>::epsilon();

  void check(T x, T y) {
    Truth truth = std::pow(Truth(x), Truth(y));
    T result = pow(x, y);
    EXPECT_LE(errorOf(result, truth), bound) << x << " to the power " << y << " is " << result;
    if (!std::isnan(truth)) {
      EXPECT_EQ(std::signbit(result), std::signbit(truth)) << x << " to the power " << y << " is " << result;
    }
  }
  void checkExp2(T x) { EXPECT_LE(errorOf(exp2(x), std::exp2(Truth(x))), bound) << x << " gives " << exp2(x); }

  /// Returns the number whose bits are the low bits of `word`.
  T ofBits(uint64_t word) {
    std::conditional_t<std::is_same_v<T, float>, uint32_t, uint64_t> bits = word;
    T x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
  }

  Expanded pow{"powf", type, "math", /*binary=*/true}, exp2{"exp2", type};
  std::mt19937_64 random{1};
};

using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(PowerTest, Types);

TYPED_TEST(PowerTest, RandomBits) {
  ASSERT_TRUE(this->pow.ready() && this->exp2.ready());
  for (int i = 0; i < 20000; ++i) {
    this->check(this->ofBits(this->random()), this->ofBits(this->random()));
    this->checkExp2(this->ofBits(this->random()));
  }
}

// Tests bases from e^-10 to e^10, some of them very close to 1, with exponents for which results are finite or nearly
// so. Other bases are multiples of 1/2, with integral exponents.
TYPED_TEST(PowerTest, ResultsOfAllSizes) {
  using T = TypeParam;
  std::uniform_real_distribution<T> unit(-1, 1);
  T maximum = std::numeric_limits<T>::max_exponent;
  for (int i = 0; i < 30000; ++i) {
    T spread = std::pow(T(10), T(i % 6 - 4)), x = std::exp(spread * unit(this->random));
    this->check(x, unit(this->random) * T(1.2) * maximum / std::max(std::abs(std::log2(x)), T(1e-9)));
    this->check(std::round(T(16) * unit(this->random)) / 2, std::round(T(40) * unit(this->random)));
    this->checkExp2(T(1.2) * maximum * unit(this->random));
    this->checkExp2(unit(this->random));
  }
}

// Tests every pair of `numbers`. They include the special values in Annex F of the C standard, and numbers near two
// limits: all numbers of this type from 2^(digits - 1) on are integers, and all from 2^digits on are even.
TYPED_TEST(PowerTest, SpecialNumbers) {
  using T = TypeParam;
  using Limits = std::numeric_limits<T>;
  T whole = std::ldexp(T(1), Limits::digits - 1);
  std::vector<T> numbers = {0, 1, 2, 3, 4, T(0.5), T(1) / 3, T(2.5), 1000, 1001, whole / 2 + T(0.5), whole, whole + 1,
                            2 * whole, 2 * whole + 2, 1 + Limits::epsilon(), 1 - Limits::epsilon() / 2, Limits::min(),
                            Limits::denorm_min(), Limits::max(), Limits::infinity(), Limits::quiet_NaN(),
                            T(Limits::max_exponent), T(Limits::max_exponent - 1), T(Limits::min_exponent - 1)};
  for (size_t i = 0, end = numbers.size(); i < end; ++i)
    numbers.push_back(-numbers[i]);
  for (T x : numbers) {
    for (T y : numbers)
      this->check(x, y);
    this->checkExp2(x);
  }
}

// Results that are representable are exact.
TYPED_TEST(PowerTest, ExactResults) {
  using T = TypeParam;
  for (T x = 1; x < 32; ++x)
    for (int n = 1; n <= 4; ++n) {
      EXPECT_EQ(this->pow(x, T(n)), std::pow(x, T(n))) << x << " to the power " << n;
      EXPECT_EQ(this->pow(x * x, T(0.5)), x);
    }
  for (int n = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits; n < 128; ++n)
    EXPECT_EQ(this->exp2(T(n)), std::ldexp(T(1), n));
}

} // namespace
} // namespace heddle::test
