//===- size_expression_test.cpp - integers computed from sizes ------------===//
//
// SizeExpression represents an integer function of sizes as a polynomial; SizeDomain decides questions about such
// expressions for all sizes in given ranges. Random expressions are compared with C++ functions.
//
//===----------------------------------------------------------------------===//

#include "SizeDomain.h"

#include "gtest/gtest.h"

#include <random>

using namespace heddle;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

namespace {
const SizeExpression s = SizeExpression::size(0), t = SizeExpression::size(1);
const StringRef names[] = {"s", "t"};

std::string text(const SizeExpression &e) { return e.text(names); }
std::optional<int64_t> at(const SizeExpression &e, ArrayRef<int64_t> sizes) { return SizeEvaluator(e).at(sizes); }

/// A random function of s and t as an expression and as a C++ function of the two sizes. The C++ function returns
/// nullopt where the function divides by zero.
struct Both {
  SizeExpression expression;
  std::function<std::optional<int64_t>(int64_t, int64_t)> at;
};

class Maker {
public:
  explicit Maker(unsigned seed) : random(seed) {}
  /// Makes a function whose operations are nested to a depth of at most `depth`.
  Both make(int depth);

private:
  /// Returns a random number from 0 to n - 1.
  int64_t upTo(int64_t n) { return int64_t(random() % uint64_t(n)); }
  std::mt19937_64 random;
};

Both Maker::make(int depth) {
  if (depth == 0 || upTo(5) == 0) {
    int64_t number = upTo(9) - 3;
    switch (upTo(3)) {
    case 0:
      return {s, [](int64_t x, int64_t) { return x; }};
    case 1:
      return {t, [](int64_t, int64_t y) { return y; }};
    default:
      return {number, [=](int64_t, int64_t) { return number; }};
    }
  }
  Both a = make(depth - 1), b = make(depth - 1);
  // Combines the expression e of `a` and `b` with the C++ function f of their values.
  auto of = [&](SizeExpression e, std::function<std::optional<int64_t>(int64_t, int64_t)> f) -> Both {
    return {e, [a, b, f](int64_t x, int64_t y) {
              auto u = a.at(x, y), v = b.at(x, y);
              return u && v ? f(*u, *v) : std::nullopt;
            }};
  };
  auto floorDiv = [](int64_t u, int64_t v) -> std::optional<int64_t> {
    return v == 0 ? std::nullopt : std::optional(u / v - (u % v != 0 && (u < 0) != (v < 0)));
  };
  switch (upTo(9)) {
  case 0:
    return of(a.expression + b.expression, [](int64_t u, int64_t v) { return u + v; });
  case 1:
    return of(a.expression - b.expression, [](int64_t u, int64_t v) { return u - v; });
  case 2:
    return of(a.expression * b.expression, [](int64_t u, int64_t v) { return u * v; });
  case 3:
    return of(SizeExpression::floorDiv(a.expression, b.expression), floorDiv);
  case 4:
    return of(SizeExpression::mod(a.expression, b.expression), [=](int64_t u, int64_t v) {
      auto quotient = floorDiv(u, v);
      return quotient ? std::optional(u - v * *quotient) : std::nullopt;
    });
  case 5:
    return of(SizeExpression::min(a.expression, b.expression), [](int64_t u, int64_t v) { return std::min(u, v); });
  case 6:
    return of(SizeExpression::max(a.expression, b.expression), [](int64_t u, int64_t v) { return std::max(u, v); });
  case 7:
    return of(SizeExpression::less(a.expression, b.expression), [](int64_t u, int64_t v) { return int64_t(u < v); });
  default:
    return of(SizeExpression::equal(a.expression, b.expression), [](int64_t u, int64_t v) { return int64_t(u == v); });
  }
}

TEST(SizeExpression, IsAPolynomial) {
  EXPECT_EQ((s + 1) * (s - 1), s * s - 1);
  EXPECT_EQ(text(2 * s + 1), "2 * s + 1");
  EXPECT_EQ(text(s - t - 1), "s - t - 1");
  EXPECT_EQ(s - s, SizeExpression(0));
  EXPECT_NE(s, t);
}

TEST(SizeExpression, MultiplesAreMovedOutOfQuotients) {
  EXPECT_EQ(SizeExpression::floorDiv(64 * s + 64 + t, 64), s + 1 + SizeExpression::floorDiv(t, 64));
  EXPECT_EQ(text(SizeExpression::floorDiv(s, 2)), "s floordiv 2");
  EXPECT_EQ(SizeExpression::floorDiv(s, 2) + (s - SizeExpression::floorDiv(s, 2)), s);
  EXPECT_EQ(at(SizeExpression::floorDiv(s, t), {7, 0}), std::nullopt);
}

TEST(SizeExpression, IsSplitIntoFactors) {
  SizeExpression::Factors factors = (6 * s * t + 12 * t).factors();
  EXPECT_EQ(factors.number, 6);
  ASSERT_EQ(factors.atoms.size(), 1u);
  EXPECT_EQ(factors.atoms[0], t);
  EXPECT_EQ(factors.sum, s + 2);
}

TEST(SizeExpression, OverflowHasNoValue) {
  SizeExpression large = INT64_MAX;
  EXPECT_FALSE((large + 1).number());
  EXPECT_EQ(at(s * large, {2}), std::nullopt);
  EXPECT_EQ(text(large + 1), "a number that does not fit into 64 bits");
}

TEST(SizeExpression, CodeIsReadBack) {
  SizeExpression e = SizeExpression::min(SizeExpression::floorDiv(s + 63, 64) * 64 - t, 3 * t) + 5;
  EXPECT_EQ(SizeExpression::fromCode(e.code()), e);
  EXPECT_EQ(SizeExpression::fromCode({int64_t(SizeCode::Add), 0}), std::nullopt);
  EXPECT_EQ(SizeExpression::fromCode({99, 0}), std::nullopt);
  EXPECT_EQ(SizeExpression::fromCode({int64_t(SizeCode::Size), -1}), std::nullopt);
}

TEST(SizeExpression, RandomExpressionsEqualTheirCppFunctions) {
  SizeDomain domain({{1, 9}, {2, 7}});
  for (unsigned seed = 0; seed < 3000; ++seed) {
    Both made = Maker(seed).make(4);
    auto read = SizeExpression::fromCode(made.expression.code());
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, made.expression) << text(made.expression);
    SizeExpression simple = domain.simplify(made.expression);
    auto bounds = domain.boundsOf(made.expression, {}, true), rough = domain.boundsOf(made.expression);
    SizeDecision zero = domain.isZero(made.expression), negative = domain.isNegative(made.expression);
    for (int64_t x = 1; x <= 9; ++x)
      for (int64_t y = 2; y <= 7; ++y) {
        auto expected = made.at(x, y);
        if (!expected)
          continue; // simplification may have removed the part that has no value, so nothing is expected
        auto value = at(made.expression, {x, y});
        if (!value)
          continue;
        ASSERT_EQ(*value, *expected) << seed << ": " << text(made.expression) << " at " << x << ", " << y;
        ASSERT_EQ(at(simple, {x, y}), expected) << seed << ": " << text(simple);
        for (const auto &known : {bounds, rough})
          if (known)
            ASSERT_TRUE(known->low <= *value && *value <= known->high) << seed << ": " << text(made.expression);
        if (zero.always)
          ASSERT_EQ(*zero.always, *value == 0) << seed << ": " << text(made.expression);
        if (negative.always)
          ASSERT_EQ(*negative.always, *value < 0) << seed << ": " << text(made.expression);
      }
    if (!zero.where.empty() && !zero.whereNot.empty()) {
      EXPECT_EQ(at(made.expression, zero.where), 0);
      EXPECT_NE(at(made.expression, zero.whereNot), 0);
    }
  }
}

/// isZero() and isNegative() decide whether an expression is zero or negative. In the result, `always` is true if this
/// holds for all sizes, false if it holds for none, and otherwise nullopt. `where` is a combination of sizes for which
/// it holds.
TEST(SizeDomain, DecidesForAllSizes) {
  SizeDomain domain({{1, 511}, {5, 129}});
  auto isZero = [&](const SizeExpression &e) { return domain.isZero(e).always; };
  EXPECT_EQ(isZero(s - 64), std::nullopt);
  EXPECT_EQ(domain.isZero(s - 64).where[0], 64);
  EXPECT_EQ(isZero(s - 512), false);
  EXPECT_EQ(isZero(SizeExpression::mod(2 * s + 1, 2) - 1), true);
  EXPECT_EQ(isZero(SizeExpression::floorDiv(s + 1, 2) - (s - SizeExpression::floorDiv(s, 2))), true);
  EXPECT_EQ(domain.isNegative(s * t - s).always, false);
  EXPECT_EQ(domain.simplify(SizeExpression::min(s, 600)), s);
  EXPECT_EQ(text(domain.simplify(SizeExpression::min(s, 64))), "min(s, 64)");
}

/// The corners are the combinations of minima and maxima of the sizes. The ranges are too large for an enumeration.
TEST(SizeDomain, LargeRangesAreDecidedByTheirCorners) {
  SizeDomain domain({{1, 1 << 20}, {1, 1 << 20}});
  EXPECT_EQ(domain.isNegative(s * t - s).always, false);
  EXPECT_EQ(domain.isZero(s + t - 1).always, false);
  EXPECT_EQ(domain.isZero(s - t).always, std::nullopt);
  EXPECT_EQ(domain.isNegative(s - t).where.size(), 2u);
}

TEST(SizeDomain, BoundsOfLargeRangesAreExactWithoutEnumeration) {
  SizeDomain domain({{1, 1 << 20}, {1, 1 << 20}});
  auto check = [&](const SizeExpression &e, int64_t low, int64_t high) {
    auto bounds = domain.boundsOf(e, {}, /*isExact=*/true);
    ASSERT_TRUE(bounds) << text(e);
    EXPECT_EQ(bounds->low, low) << text(e);
    EXPECT_EQ(bounds->high, high) << text(e);
  };
  check(SizeExpression::floorDiv(s, 3) + SizeExpression::min(t, 7), 1, (1 << 20) / 3 + 7);
  check(SizeExpression::less(s, t), 0, 1);
  check(s * t - s - t, -1, (int64_t(1) << 40) - (1 << 21)); // multilinear: no term contains a size twice
}

/// A limit excludes the combinations in which the sum of two sizes is too large. The exact bounds are compared with an
/// enumeration of the remaining combinations.
TEST(SizeDomain, SumsOfTwoSizesMayBeLimited) {
  using E = SizeExpression;
  std::mt19937 random(3);
  auto below = [&](int64_t maximum) { return int64_t(random() % uint64_t(maximum)); };
  for (int64_t scale : {1, 100000}) // small ranges are decided by enumeration, large ranges by corners
    for (int round = 0; round < 200; ++round) {
      SizeBounds a{below(3) * scale, 0}, b{below(3) * scale, 0}, c{1, 1 + below(3)};
      a.high = a.low + (1 + below(5)) * scale;
      b.high = b.low + (1 + below(5)) * scale;
      SizeLimit limit{0, 2, a.low + b.low + below(8) * scale};
      SizeDomain domain({a, c, b});
      domain.setLimit(limit);
      int64_t x = below(7) - 3, y = below(7) - 3, z = below(3), offset = (below(9) - 4) * scale;
      E one = E::size(0), other = E::size(2), factor = E::size(1);
      E expression = one * x + other * y + factor * one * z + offset;
      std::optional<int64_t> low, high;
      for (int64_t p = a.low; p <= a.high; p += scale)
        for (int64_t q = b.low; q <= b.high; q += scale)
          for (int64_t r = c.low; r <= c.high; ++r)
            if (p + q <= limit.maximum) {
              int64_t value = p * x + q * y + r * p * z + offset;
              low = std::min(low.value_or(value), value);
              high = std::max(high.value_or(value), value);
            }
      std::optional<SizeBounds> bounds = domain.boundsOf(expression, {}, /*isExact=*/true);
      ASSERT_TRUE(bounds && low);
      EXPECT_EQ(bounds->low, *low);
      EXPECT_EQ(bounds->high, *high);
      SizeDecision negative = domain.isNegative(expression);
      EXPECT_EQ(negative.always == true, *high < 0);
      EXPECT_EQ(negative.always == false, *low >= 0);
    }
}

/// A place is the index of an element along a dimension of a tensor; its bounds are an argument of boundsOf().
TEST(SizeDomain, PlacesHaveBounds) {
  SizeDomain domain({{1, 512}});
  SizeExpression i = SizeExpression::place(0);
  auto bounds = domain.boundsOf(s - 1 - i, {{0, 511}}, true);
  ASSERT_TRUE(bounds);
  EXPECT_EQ(bounds->low, -511);
  EXPECT_EQ(bounds->high, 511);
}
} // namespace
