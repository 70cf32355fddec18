//===- expand_elementary_test.cpp - trigonometric and other functions -----===//
//
// Compares the functions that the pass heddle-expand-math creates, in f32 and
// f64, with those of the C++ library in the next wider type.
//
//===----------------------------------------------------------------------===//

#include "Expanded.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::test {
namespace {

struct Row {
  const char *name;                      // of the operation in the math dialect
  double (*truth)(double);               // the reference for f32
  double bound;                          // the maximum relative error of normal results in f32
  long double (*longTruth)(long double); // the reference for f64
  double bound64;                        // the maximum relative error of normal results in f64
};

// The bounds are those in the tables in the description of the pass heddle-expand-math.
constexpr Row rows[] = {
    {"sin", std::sin, 2.0e-7, std::sin, 1.8e-16},       {"cos", std::cos, 2.0e-7, std::cos, 1.8e-16},
    {"tan", std::tan, 3.2e-7, std::tan, 1.8e-16},       {"asin", std::asin, 2.4e-7, std::asin, 1.8e-16},
    {"acos", std::acos, 2.4e-7, std::acos, 1.8e-16},    {"atan", std::atan, 2.4e-7, std::atan, 1.8e-16},
    {"sinh", std::sinh, 3.2e-7, std::sinh, 3.2e-16},    {"cosh", std::cosh, 2.4e-7, std::cosh, 2.4e-16},
    {"asinh", std::asinh, 2.4e-7, std::asinh, 3.2e-16}, {"acosh", std::acosh, 2.4e-7, std::acosh, 2.4e-16},
    {"atanh", std::atanh, 2.4e-7, std::atanh, 3.2e-16}, {"cbrt", std::cbrt, 1.2e-7, std::cbrt, 2.0e-16},
    {"log", std::log, 2.4e-7, std::log, 1.2e-16},       {"log2", std::log2, 2.4e-7, std::log2, 1.2e-16},
    {"log10", std::log10, 2.4e-7, std::log10, 1.2e-16}, {"log1p", std::log1p, 2.4e-7, std::log1p, 1.2e-16},
    {"expm1", std::expm1, 3.2e-7, std::expm1, 8e-16},
};

/// Returns the true value in type T, which is wider than the type that is tested.
template <typename T>
T truthOf(const Row &row, T x);
template <>
double truthOf(const Row &row, double x) {
  return row.truth(x);
}
template <>
long double truthOf(const Row &row, long double x) {
  return row.longTruth(x);
}

/// A function in one type, with its reference in the next wider type.
template <typename T>
struct Checked {
  using Truth = std::conditional_t<std::is_same_v<T, float>, double, long double>;
  static constexpr bool wide = std::is_same_v<T, double>;

  explicit Checked(const Row &row) : row(row), f(row.name, wide ? "f64" : "f32") {}

  double bound() const { return wide ? row.bound64 : row.bound; }
  Truth truth(T x) const { return truthOf<Truth>(row, x); }
  /// Checks the error at x, and the sign if the true value is zero.
  void check(T x) {
    Truth expected = truth(x);
    T result = f(x);
    EXPECT_LE(errorOf(result, expected), bound()) << row.name << " of " << x << " is " << result;
    if (expected == 0) {
      EXPECT_EQ(std::signbit(result), std::signbit(expected)) << row.name << " of " << x;
    }
  }

  Row row;
  Expanded f;
};

class ElementaryTest : public testing::TestWithParam<Row> {};

// Tests random bit patterns: numbers with every exponent, denormals, infinities and NaNs with payloads.
template <typename T, typename Bits>
void checkRandomBits(const Row &row) {
  Checked<T> function(row);
  ASSERT_TRUE(function.f.ready());
  std::mt19937_64 random(1);
  double largest = 0;
  T at = 0;
  for (int i = 0; i < 50000; ++i) {
    T x = llvm::bit_cast<T>(Bits(random()));
    double error = errorOf(function.f(x), function.truth(x));
    if (error > largest)
      largest = error, at = x;
  }
  std::printf("%-6s largest relative error %.3g at %.17g, bound %.3g\n", row.name, largest, at, function.bound());
  EXPECT_LE(largest, function.bound()) << row.name << " of " << at;
}

TEST_P(ElementaryTest, RandomBits) {
  checkRandomBits<float, uint32_t>(GetParam());
  checkRandomBits<double, uint64_t>(GetParam());
}

// Tests numbers of the usual magnitude in models. In f64, the test also covers numbers near 0 and near 1, where digits
// cancel in functions such as acosh and log.
TEST_P(ElementaryTest, SmallNumbers) {
  Checked<float> single(GetParam());
  Checked<double> twice(GetParam());
  ASSERT_TRUE(single.f.ready() && twice.f.ready());
  for (float x = -12.0f; x < 12.0f; x += 0.00117f)
    single.check(x), twice.check(x * 1.0000001234567891);
  for (double t = -1; t < 1; t += 0.00117)
    twice.check(1 + t * t * t * t * t), twice.check(t * t * t);
}

// Tests special values, and numbers around the arguments at which some functions overflow or change their formula.
template <typename T>
void checkLimits(const Row &row) {
  Checked<T> function(row);
  ASSERT_TRUE(function.f.ready());
  using Limits = std::numeric_limits<T>;
  for (T x : {T(0), T(1), Limits::infinity(), Limits::quiet_NaN(), Limits::denorm_min(), Limits::min(), Limits::max(),
              T(89.4), T(89.5), T(710.4), T(710.5), T(1e-9), T(0x1p-28), T(0x1p28)})
    function.check(x), function.check(-x);
}

TEST_P(ElementaryTest, ZerosAndLimits) {
  checkLimits<float>(GetParam());
  checkLimits<double>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(ExpandMath, ElementaryTest, testing::ValuesIn(rows),
                         [](const auto &row) { return std::string(row.param.name); });

// Tests f32 numbers near multiples of pi/2, where the subtraction of the multiple cancels most digits, and angles of
// rotary embeddings, which are positions times frequencies.
TEST(ExpandMath, AnglesThatCancel) {
  Expanded sin("sin", "f32"), cos("cos", "f32"), tan("tan", "f32");
  ASSERT_TRUE(sin.ready() && cos.ready() && tan.ready());
  auto check = [&](float x) {
    ASSERT_LE(errorOf(sin(x), std::sin(double(x))), 2.0e-7) << x;
    ASSERT_LE(errorOf(cos(x), std::cos(double(x))), 2.0e-7) << x;
    ASSERT_LE(errorOf(tan(x), std::tan(double(x))), 3.2e-7) << x;
  };
  check(16367173.0f * 0x1p72f); // the f32 number closest to a multiple, at a distance of 1.6e-9
  for (int multiple = 1; multiple < 4000; ++multiple) {
    float x = float(multiple * 1.5707963267948966);
    for (float near : {x, std::nextafter(x, 0.0f), std::nextafter(x, inf)})
      check(near);
  }
  for (int position = 0; position < (1 << 20); position += 499)
    for (double frequency : {1.0, 0.749894209, 0.1, 0.0031622777})
      check(float(position * frequency));
}

// Tests f64 numbers near multiples of pi/2 up to 1e300.
TEST(ExpandMath, AnglesThatCancelInF64) {
  Row sinRow = rows[0], cosRow = rows[1], tanRow = rows[2];
  Checked<double> sin(sinRow), cos(cosRow), tan(tanRow);
  ASSERT_TRUE(sin.f.ready() && cos.f.ready() && tan.f.ready());
  auto check = [&](double x) { sin.check(x), cos.check(x), tan.check(x); };
  check(6381956970095103 * 0x1p797); // the f64 number closest to a multiple, at a distance of 4.7e-19
  for (double multiple = 1; multiple < 1e300; multiple = std::ceil(multiple * 1.37)) {
    double x = double(multiple * 1.57079632679489661923L);
    for (double near : {x, std::nextafter(x, 0.0), std::nextafter(x, 1e308)})
      check(near);
  }
}

// Tests all octants, their boundaries, zeros and infinities with both signs.
template <typename T>
void checkAtan2(const char *type, double bound) {
  using Truth = typename Checked<T>::Truth;
  Expanded f("atan2", type, "math", /*binary=*/true);
  ASSERT_TRUE(f.ready());
  auto check = [&](T y, T x) {
    Truth truth = std::atan2(Truth(y), Truth(x));
    EXPECT_LE(errorOf(f(y, x), truth), bound) << y << " by " << x << " is " << f(y, x);
    if (!std::isnan(truth)) {
      EXPECT_EQ(std::signbit(f(y, x)), std::signbit(truth)) << y << " by " << x;
    }
  };
  using Limits = std::numeric_limits<T>;
  const T numbers[] = {0, Limits::denorm_min(), T(1e-30), T(0.4), 1, 2, T(1e30), Limits::max(), Limits::infinity(),
                       Limits::quiet_NaN()};
  for (T y : numbers)
    for (T x : numbers)
      check(y, x), check(-y, x), check(y, -x), check(-y, -x);
  std::mt19937_64 random(1);
  std::normal_distribution<T> normal;
  for (int i = 0; i < 50000; ++i) {
    T y = normal(random);
    check(y, normal(random));
  }
}

TEST(ExpandMath, Atan2) {
  checkAtan2<float>("f32", 3.6e-7);
  checkAtan2<double>("f64", 4e-16);
}

} // namespace
} // namespace heddle::test
