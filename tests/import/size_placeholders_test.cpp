//===- size_placeholders_test.cpp - how placeholders are chosen -----------===//
//
// A placeholder is a number that represents a size (in a range) in types. A derived size, such as s + 2, has a
// placeholder of its own. A model is compiled with two to four sets of placeholders, and the numbers that differ
// between the modules depend on sizes. A placeholder must not be mistaken for another one or for a fixed extent, so no
// placeholder may divide another.
//
//===----------------------------------------------------------------------===//

#include "../../compiler/import/sizes/ChoosePlaceholders.h"
#include "../../compiler/import/sizes/Monomials.h"

#include "gtest/gtest.h"

#include <numeric>

using namespace heddle;

namespace {

using E = SizeExpression;
const E s = E::size(0), t = E::size(1);

/// Chooses two sets of placeholders for sizes `s` and `t` with these ranges, and for derived sizes with these
/// expressions. Stores the sets that were found in `first` and `other`. The expressions `required` must not be negative
/// at the placeholders.
struct Chosen {
  std::vector<ScopedSize> sizes;
  std::vector<DerivedDim> derived;
  std::vector<SizeExpression> required;
  std::optional<Placeholders> first, other;

  Chosen(std::vector<SizeBounds> ranges, std::vector<E> expressions, std::vector<E> required = {})
      : required(std::move(required)) {
    for (SizeBounds bounds : ranges)
      sizes.push_back({sizes.empty() ? "s" : "t", bounds, 0});
    for (const E &expression : expressions)
      derived.push_back({expression, 0, {0, 0}, "here"});
    std::vector<Placeholders> choices =
        choosePlaceholders(sizes, derived, this->required, {8, 64}, /*isUnchecked=*/false, 2);
    if (!choices.empty())
      first = choices[0];
    if (choices.size() > 1)
      other = choices[1];
  }

  /// Returns the value of the expression at the placeholders of a set.
  int64_t at(const Placeholders &placeholders, const E &expression) const {
    std::vector<ScopedSize> numbered = sizes;
    for (auto [size, number] : llvm::zip_equal(numbered, placeholders.sizes))
      size.placeholder = number;
    return *SizeScope(numbered, {placeholders.functions}).atPlaceholders(expression);
  }
};

TEST(Monomials, AreTheTermsOfAPolynomial) {
  auto terms = monomialsOf(E(3) * s * E::floorDiv(s + 1, 2) - t + 7);
  ASSERT_EQ(terms.size(), 3u);
  E sum = 0;
  for (const Monomial &term : terms)
    sum = sum + E(term.number) * term.product();
  EXPECT_EQ(sum, E(3) * s * E::floorDiv(s + 1, 2) - t + 7);
  EXPECT_TRUE(monomialsOf(E::less(s, 3) * t).front().hasComparison());
  EXPECT_TRUE(isIndependent(E(8) - s));
  EXPECT_FALSE(isIndependent(s - 1));
}

TEST(ChoosePlaceholders, PlaceholdersOfSumsAreTheSums) {
  Chosen chosen({{1, 9}}, {s + 2});
  ASSERT_TRUE(chosen.first && chosen.other);
  EXPECT_EQ(chosen.first->derived[0], chosen.first->sizes[0] + 2);
}

/// At the placeholder 21 of s, the derived size 2 s + 2 is 44 = 4 x 11. This number is a valid placeholder only if one
/// of its prime factors divides no fixed extent of the model. 11 divides the extents 44, 22 and 88, but not 48 and 4.
TEST(SizeScope, FixedExtentsAreNoPlaceholdersOfDerivedSizes) {
  for (int64_t taken : {44, 22, 88}) {
    SizeScope scope({{"s", {1, 24}, 21}}, {{}, {taken}});
    EXPECT_NE(scope.placeholderFor(s * 2 + 2), 44) << taken;
    EXPECT_TRUE(scope.needsOtherPlaceholders());
  }
  SizeScope scope({{"s", {1, 24}, 21}}, {{}, {48, 4}});
  EXPECT_EQ(scope.placeholderFor(s * 2 + 2), 44);
  EXPECT_FALSE(scope.needsOtherPlaceholders());
}

TEST(ChoosePlaceholders, RequiredExpressionsAreNotNegative) {
  E last = E::min(s, 3), chosen = E::select(E::less(9, s), s, 1);
  Chosen numbers({{1, 40}}, {last, s - last, chosen}, {s - last, s - chosen});
  ASSERT_TRUE(numbers.first && numbers.other);
  for (const Placeholders &placeholders : {*numbers.first, *numbers.other})
    for (const E &required : numbers.required)
      EXPECT_GE(numbers.at(placeholders, required), 0);
}

TEST(ChoosePlaceholders, NoPlaceholderDividesAnother) {
  E half = E::floorDiv(s, 2), least = E::min(s, t);
  Chosen chosen({{1, 40}, {2, 9}}, {half, s + t, least}, {s - half * 2, s - least});
  ASSERT_TRUE(chosen.first);
  std::vector<int64_t> numbers = chosen.first->sizes;
  numbers.insert(numbers.end(), chosen.first->derived.begin(), chosen.first->derived.end());
  for (int64_t number : numbers)
    for (int64_t other : numbers)
      if (number != other) {
        EXPECT_NE(number / std::gcd(number, other), 1);
      }
}

TEST(ChoosePlaceholders, DerivedSizesAreNotMultiplesInBothSets) {
  Chosen chosen({{1, 40}, {2, 9}}, {E::floorDiv(s, 2), s + t, E::max(s - 5, 0)});
  ASSERT_TRUE(chosen.first && chosen.other);
  for (auto [one, two] : llvm::zip_equal(chosen.first->derived, chosen.other->derived))
    for (int64_t divisor : {2, 3, 5, 7})
      EXPECT_TRUE(one % divisor || two % divisor) << one << " and " << two;
}

/// The value of 8 - s at a large placeholder of s is negative, so the placeholder of 8 - s is chosen independently of
/// the placeholder of s.
TEST(ChoosePlaceholders, ADifferenceFromANumberIsIndependent) {
  Chosen chosen({{1, 7}}, {E(8) - s});
  ASSERT_TRUE(chosen.first);
  EXPECT_GT(chosen.first->derived[0], 8);
}

/// With isUnchecked, the placeholder of a derived size need not be the value of its expression at the other
/// placeholders. At large placeholders of s, 4 - min(s, 3) is 1, which cannot be a placeholder.
TEST(ChoosePlaceholders, UncheckedPlaceholdersNeedNotBeTheValuesOfTheirExpressions) {
  std::vector<ScopedSize> sizes = {{"s", {1, 7}, 0}};
  std::vector<DerivedDim> derived;
  for (const E &expression : {E(4) - E::min(s, 3), E::min(s, 3)})
    derived.push_back({expression, 0, {0, 0}, "here"});
  EXPECT_FALSE(choosePlaceholders(sizes, derived, {}, {8}, /*isUnchecked=*/true, 1).empty());
}

/// A size that is marked by isHidden exists only in the import and not in compiled code. Its placeholder may therefore
/// be the same in all sets, so there are more sets if few numbers satisfy the requirement.
TEST(ChoosePlaceholders, HiddenSizesMayHaveTheSamePlaceholderInAllSets) {
  std::vector<ScopedSize> sizes = {{"s", {1, 3}, 0}, {"t", {8, 32}, 0}, {"past", {0, 31}, 0}};
  E past = E::size(2);
  std::vector<DerivedDim> derived = {{past + 1, 0, {0, 0}, "here"}, {past + 2, 0, {0, 0}, "there"}};
  auto choices = [&] {
    return choosePlaceholders(sizes, derived, {E(63) - past}, {6144, 40, 24, 66, 4, 6, 32, 39}, /*isUnchecked=*/false,
                              4)
        .size();
  };
  EXPECT_EQ(choices(), 1u);
  sizes.back().isHidden = true;
  EXPECT_EQ(choices(), 4u);
}

TEST(ChoosePlaceholders, SearchSkipsSizesBetweenTwoThatFailTogether) {
  // The requirement involves only the sizes s and v. If no number for v satisfies it, the search must try another
  // number for s, without first trying all numbers for t and u.
  std::vector<ScopedSize> sizes = {{"s", {1, 3}, 0}, {"t", {1, 9}, 0}, {"u", {8, 32}, 0}, {"v", {8, 32}, 0}};
  E last = E::size(3);
  std::vector<Placeholders> found = choosePlaceholders(sizes, {}, {E(64) - s - last}, {}, /*isUnchecked=*/false, 1);
  ASSERT_FALSE(found.empty());
  EXPECT_LE(found[0].sizes[0] + found[0].sizes[3], 64);
  EXPECT_GT(found[0].sizes[1], 900);
}

TEST(ChoosePlaceholders, ReturnsNoneIfARequirementCannotHold) {
  EXPECT_FALSE(Chosen({{1, 40}}, {s + 1}, {E(3) - s}).first);
  EXPECT_FALSE(Chosen({{1, 40}}, {E::floorDiv(s, 2)}, {E(3) - E::floorDiv(s, 2)}).first);
}

} // namespace
