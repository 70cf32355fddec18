//===- expand_elementary_test.cpp - trigonometric, hyperbolic, roots, logs ===//

#include "Expanded.h"

#include <gtest/gtest.h>

#include <random>

namespace heddle::test {
namespace {

struct Row {
  const char *name;
  double (*truth)(double);
  double bound; // relative, of results that are normal numbers
};

// The table in the description of the pass.
constexpr Row rows[] = {
    {"sin", std::sin, 2.0e-7},     {"cos", std::cos, 2.0e-7},     {"tan", std::tan, 3.2e-7},
    {"asin", std::asin, 2.4e-7},   {"acos", std::acos, 2.4e-7},   {"atan", std::atan, 2.4e-7},
    {"sinh", std::sinh, 3.2e-7},   {"cosh", std::cosh, 2.4e-7},   {"asinh", std::asinh, 2.4e-7},
    {"acosh", std::acosh, 2.4e-7}, {"atanh", std::atanh, 2.4e-7}, {"cbrt", std::cbrt, 1.2e-7},
    {"log", std::log, 2.4e-7},     {"log2", std::log2, 2.4e-7},   {"log10", std::log10, 2.4e-7},
    {"log1p", std::log1p, 2.4e-7}, {"expm1", std::expm1, 3.2e-7},
};

float ofBits(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

class ElementaryTest : public testing::TestWithParam<Row> {};

// Bit patterns of all kinds: numbers of each exponent, denormals, infinities and NaNs with payloads.
TEST_P(ElementaryTest, RandomBits) {
  const Row &row = GetParam();
  Expanded f(row.name, "f32");
  ASSERT_TRUE(f.ready());
  std::mt19937 bits(1);
  double largest = 0;
  float at = 0;
  for (int i = 0; i < 50000; ++i) {
    float x = ofBits(bits());
    double error = errorOf(f(x), row.truth(x));
    if (error > largest)
      largest = error, at = x;
  }
  std::printf("%-6s largest relative error %.3g at %.9g, bound %.3g\n", row.name, largest, at, row.bound);
  EXPECT_LE(largest, row.bound) << row.name << " of " << at;
}

// Where most models have their arguments.
TEST_P(ElementaryTest, SmallNumbers) {
  const Row &row = GetParam();
  Expanded f(row.name, "f32");
  ASSERT_TRUE(f.ready());
  for (float x = -12.0f; x < 12.0f; x += 0.00117f)
    ASSERT_LE(errorOf(f(x), row.truth(x)), row.bound) << row.name << " of " << x;
}

TEST_P(ElementaryTest, ZerosAndLimits) {
  const Row &row = GetParam();
  Expanded f(row.name, "f32");
  ASSERT_TRUE(f.ready());
  for (float x : {0.0f, -0.0f, 1.0f, -1.0f, inf, -inf, nan, 0x1p-149f, -0x1p-149f, 0x1p-126f, 0x1.fffffep127f,
                  -0x1.fffffep127f, 89.4f, -89.4f, 89.5f}) {
    double truth = row.truth(x);
    EXPECT_LE(errorOf(f(x), truth), row.bound) << row.name << " of " << x << " is " << f(x);
    if (truth == 0) {
      EXPECT_EQ(std::signbit(f(x)), std::signbit(truth)) << row.name << " of " << x;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(ExpandMath, ElementaryTest, testing::ValuesIn(rows),
                         [](const auto &row) { return std::string(row.param.name); });

// The f32 numbers that are closest to a multiple of pi/2, and positions of rotary embeddings.
TEST(ExpandMath, AnglesThatCancel) {
  Expanded sin("sin", "f32"), cos("cos", "f32"), tan("tan", "f32");
  ASSERT_TRUE(sin.ready() && cos.ready() && tan.ready());
  auto check = [&](float x) {
    ASSERT_LE(errorOf(sin(x), std::sin(double(x))), 2.0e-7) << x;
    ASSERT_LE(errorOf(cos(x), std::cos(double(x))), 2.0e-7) << x;
    ASSERT_LE(errorOf(tan(x), std::tan(double(x))), 3.2e-7) << x;
  };
  check(16367173.0f * 0x1p72f); // 1.6e-9 from a multiple: the closest of all
  for (int multiple = 1; multiple < 4000; ++multiple) {
    float x = float(multiple * 1.5707963267948966);
    for (float near : {x, std::nextafter(x, 0.0f), std::nextafter(x, inf)})
      check(near);
  }
  for (int position = 0; position < (1 << 20); position += 499)
    for (double frequency : {1.0, 0.749894209, 0.1, 0.0031622777})
      check(float(position * frequency));
}

} // namespace
} // namespace heddle::test
