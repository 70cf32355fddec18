//===- expand_math_test.cpp - accuracy of expanded functions --------------===//
//
// Compares the polynomials that the pass heddle-expand-math creates for exp,
// exp2, erf, tanh, log and expm1 with the functions of the C++ library in f64.
// The bounds of ErrorsOverAllNumbers are those in the table of the pass
// description.
//
//===----------------------------------------------------------------------===//

#include "Expanded.h"

#include <gtest/gtest.h>

namespace heddle::test {
namespace {

TEST(ExpandMath, ExpOfF32) {
  Expanded f("exp", "f32");
  ASSERT_TRUE(f.ready());
  for (float x = -87.33f; x < 88.7f; x += 0.00731f)
    ASSERT_NEAR(f(x) / std::exp(double(x)), 1.0, 2.4e-7) << x;
  EXPECT_EQ(f(0.0f), 1.0f);
  EXPECT_EQ(f(-100.0f), 0.0f);
  EXPECT_EQ(f(-inf), 0.0f);
  EXPECT_EQ(f(std::numeric_limits<float>::lowest()), 0.0f);
  EXPECT_EQ(f(89.0f), inf);
  EXPECT_EQ(f(inf), inf);
  EXPECT_TRUE(std::isnan(f(nan)));
}

// Tests all numbers around the largest argument with a finite result, and around the smallest argument with a normal
// result.
TEST(ExpandMath, ExpAtItsLimits) {
  Expanded f("exp", "f32");
  ASSERT_TRUE(f.ready());
  for (float x = 88.72f; x < 88.73f; x = std::nextafter(x, inf)) {
    float truth = float(std::exp(double(x)));
    if (std::isinf(truth))
      ASSERT_EQ(f(x), inf) << x;
    else
      ASSERT_NEAR(f(x) / truth, 1.0, 4e-7) << x;
  }
  for (float x = -87.34f; x < -87.33f; x = std::nextafter(x, inf))
    ASSERT_TRUE(f(x) >= 0 && f(x) < 1.3e-38f) << x;
}

// heddle.exp_nonpositive is the exp of a softmax, for arguments of at most 0. Its error grows with the magnitude of the
// argument. Results that would be denormal may be zero.
TEST(ExpandMath, ExpOfNonpositiveNumbers) {
  Expanded f("exp_nonpositive", "f32", "heddle");
  ASSERT_TRUE(f.ready());
  for (float x = -87.0f; x <= 0.0f; x += 0.00731f)
    ASSERT_NEAR(f(x) / std::exp(double(x)), 1.0, 2.4e-7 - 1.9e-8 * x) << x;
  EXPECT_EQ(f(0.0f), 1.0f);
  EXPECT_EQ(f(-0.0f), 1.0f);
  EXPECT_EQ(f(-100.0f), 0.0f);
  EXPECT_EQ(f(-inf), 0.0f);
  EXPECT_EQ(f(std::numeric_limits<float>::lowest()), 0.0f);
  for (float x = -89.0f; x < -87.0f; x += 0.00031f)
    ASSERT_TRUE(f(x) >= 0 && f(x) < 2e-38) << x;
  EXPECT_TRUE(std::isnan(f(nan)));
  EXPECT_TRUE(std::isnan(f(std::nanf("1"))));
}

// heddle.exp2_nonpositive is 2^x for arguments of at most 0. Results that would be denormal may be zero.
TEST(ExpandMath, Exp2OfNonpositiveNumbers) {
  Expanded f("exp2_nonpositive", "f32", "heddle");
  ASSERT_TRUE(f.ready());
  for (float x = -126.0f; x <= 0.0f; x += 0.00731f)
    ASSERT_NEAR(f(x) / std::exp2(double(x)), 1.0, 2.4e-7) << x;
  for (float x = -128.0f; x < -126.0f; x += 0.00031f)
    ASSERT_TRUE(f(x) >= 0 && f(x) < 2e-38) << x;
  EXPECT_EQ(f(0.0f), 1.0f);
  EXPECT_EQ(f(-0.0f), 1.0f);
  EXPECT_EQ(f(-1.0f), 0.5f);
  EXPECT_EQ(f(-130.0f), 0.0f);
  EXPECT_EQ(f(-inf), 0.0f);
  EXPECT_EQ(f(std::numeric_limits<float>::lowest()), 0.0f);
  EXPECT_TRUE(std::isnan(f(nan)));
  EXPECT_TRUE(std::isnan(f(std::nanf("1"))));
}

TEST(ExpandMath, ErrorsOverAllNumbers) {
  const float minimum = std::numeric_limits<float>::denorm_min(), maximum = std::numeric_limits<float>::max();
  Expanded exp("exp", "f32"), erf("erf", "f32"), tanh("tanh", "f32"), log("log", "f32");
  ASSERT_TRUE(exp.ready() && erf.ready() && tanh.ready() && log.ready());
  struct {
    const char *name;
    Expanded &f;
    double (*truth)(double);
    float low, high;
    double bound;
  } rows[] = {
      {"exp", exp, std::exp, -87.33f, 88.72f, 2.4e-7},
      {"erf", erf, std::erf, 1.2e-38f, maximum, 3.1e-7},
      {"erf", erf, std::erf, -maximum, -1.2e-38f, 3.1e-7},
      {"tanh", tanh, std::tanh, 1.2e-38f, maximum, 4e-7},
      {"tanh", tanh, std::tanh, -maximum, -1.2e-38f, 4e-7},
      {"log", log, std::log, minimum, maximum, 2.4e-7},
      {"log", log, std::log, 0.5f, 2.0f, 2.4e-7},
  };
  for (auto &row : rows) {
    double error = largestError(row.f, row.truth, row.low, row.high);
    std::printf("%-5s %12.4g .. %-12.4g largest relative error %.3g, bound %.3g\n", row.name, row.low, row.high, error,
                row.bound);
    EXPECT_LE(error, row.bound) << row.name;
  }
}

TEST(ExpandMath, LogOfF32) {
  Expanded f("log", "f32");
  ASSERT_TRUE(f.ready());
  for (float x = 0.99f; x < 1.01f; x += 0.0000017f)
    ASSERT_NEAR(f(x), std::log(double(x)), 2.4e-7 * std::abs(std::log(double(x)))) << x;
  EXPECT_EQ(f(1.0f), 0.0f);
  EXPECT_EQ(f(0.0f), -inf);
  EXPECT_EQ(f(-0.0f), -inf);
  EXPECT_EQ(f(inf), inf);
  for (float x : {-1.0f, -inf, nan, -std::numeric_limits<float>::denorm_min()})
    EXPECT_TRUE(std::isnan(f(x))) << x;
}

// NaNs with any payload stay NaN.
TEST(ExpandMath, NaNsWithPayloads) {
  for (const char *name : {"exp", "erf", "tanh", "log"}) {
    Expanded f(name, "f32");
    ASSERT_TRUE(f.ready());
    for (uint32_t payload = 1; payload < (1u << 22); payload = payload * 3 + 1)
      for (uint32_t sign : {0u, 0x80000000u}) {
        uint32_t bits = sign | 0x7fc00000u | payload;
        float x;
        std::memcpy(&x, &bits, sizeof x);
        EXPECT_TRUE(std::isnan(f(x))) << name << " of NaN with " << payload;
      }
  }
  Expanded wide("exp", "f64");
  for (const char *payload : {"1", "2049", "123456789"})
    EXPECT_TRUE(std::isnan(wide(std::nan(payload)))) << payload;
}

TEST(ExpandMath, ExpOfF64) {
  Expanded f("exp", "f64");
  ASSERT_TRUE(f.ready());
  for (double x = -708.0; x < 709.7; x += 0.0731)
    ASSERT_NEAR(f(x) / std::exp(x), 1.0, 1e-15) << x;
  EXPECT_EQ(f(-double(inf)), 0.0);
  EXPECT_EQ(f(double(inf)), double(inf));
  EXPECT_TRUE(std::isnan(f(double(nan))));
}

TEST(ExpandMath, ErfTanhAndExpM1OfF64) {
  for (auto [name, reference] : {std::pair<llvm::StringRef, double (*)(double)>("erf", std::erf), {"tanh", std::tanh}, {"expm1", std::expm1}}) {
    Expanded f(name, "f64");
    ASSERT_TRUE(f.ready());
    for (double x : {0.0, -0.0, 1e-300, 1e-9, 0.3, 0.6249999, 0.625, 0.9, 1.0, 1.0000001, 2.5, 4.0, 5.9, 6.1, 19.9, 21.0, 40.0})
      for (double sign : {1.0, -1.0}) {
        double expected = reference(sign * x);
        EXPECT_NEAR(f(sign * x), expected, 1e-15 * std::fabs(expected)) << name.str() << "(" << sign * x << ")";
        EXPECT_EQ(std::signbit(f(sign * x)), std::signbit(expected));
      }
    for (double x = -7; x < 7; x += 0.0113)
      EXPECT_NEAR(f(x), reference(x), 1e-15 * std::fabs(reference(x))) << name.str() << "(" << x << ")";
    double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(f(infinity), reference(infinity));
    EXPECT_EQ(f(-infinity), reference(-infinity));
    EXPECT_TRUE(std::isnan(f(std::nan(""))));
  }
}

TEST(ExpandMath, ErfOfF32) {
  Expanded f("erf", "f32");
  ASSERT_TRUE(f.ready());
  for (float x = -6.0f; x < 6.0f; x += 0.00131f)
    ASSERT_NEAR(f(x), std::erf(double(x)), 2.2e-7) << x;
  for (float x = 1.0f; x > 1e-37f; x *= 0.9f)
    ASSERT_NEAR(f(-x) / std::erf(-double(x)), 1.0, 3.1e-7) << x;
  EXPECT_EQ(f(0.0f), 0.0f);
  EXPECT_EQ(f(inf), 1.0f);
  EXPECT_EQ(f(-inf), -1.0f);
  EXPECT_TRUE(std::isnan(f(nan)));
}

TEST(ExpandMath, TanhOfF32) {
  Expanded f("tanh", "f32");
  ASSERT_TRUE(f.ready());
  for (float x = -10.0f; x < 10.0f; x += 0.00131f)
    ASSERT_NEAR(f(x), std::tanh(double(x)), 3e-7 * std::abs(std::tanh(double(x))) + 1e-12) << x;
  EXPECT_EQ(f(inf), 1.0f);
  EXPECT_EQ(f(-inf), -1.0f);
  EXPECT_TRUE(std::isnan(f(nan)));
}

} // namespace
} // namespace heddle::test
