//===- ChooseStands.cpp - numbers that stand for sizes --------------------===//

#include "ChooseStands.h"

#include "../AnySizes.h"

#include <numeric>

using namespace heddle;
using llvm::ArrayRef;
using llvm::SmallVector;

/// The largest that is tried for each choice; for sizes behind the first less, so that products fit into 64 bits.
static constexpr int64_t largest[] = {4001, 1021, 2 * 769, 2003};
static int64_t largestOf(int choice, size_t number) { return number == 0 ? largest[choice] : largest[choice] / 4; }

/// How many are tried, one size after the other.
static constexpr int mostTries = 2000;

/// Without the factors that divide one of `others`.
static int64_t ownPart(int64_t number, ArrayRef<int64_t> others) {
  int64_t own = number;
  for (int64_t other : others)
    for (int64_t common = std::gcd(own, other); common > 1; common = std::gcd(own, other))
      own /= common;
  return own;
}

namespace {
class StandSearch {
public:
  StandSearch(const std::vector<ScopedSize> &sizes, ArrayRef<DerivedDim> derived,
              ArrayRef<SizeExpression> required, ArrayRef<int64_t> fixed, int choice, const Stands *first)
      : sizes(sizes), derived(derived), required(required), fixed(fixed), choice(choice), first(first) {}

  std::optional<Stands> run();

private:
  bool choose(size_t number);
  bool isCandidate(size_t number, int64_t stands) const;
  bool fits(size_t number) const;
  bool check();
  bool check(const Drawing &drawing);

  std::vector<ScopedSize> sizes;
  ArrayRef<DerivedDim> derived;
  ArrayRef<SizeExpression> required;
  ArrayRef<int64_t> fixed;
  int choice;
  const Stands *first; // null in choice 0
  int tries = 0;
  Stands found;
};
} // namespace

bool StandSearch::isCandidate(size_t number, int64_t stands) const {
  bool isTwice = choice == 2;
  if (!(isTwice ? stands % 2 == 0 && isPrime(stands / 2) : isPrime(stands)))
    return false;
  for (size_t i = 0; i < number; ++i)
    if (sizes[i].stands == stands)
      return false;
  if (!first)
    return true;
  for (int64_t divisor : {3, 4, 5, 7, 8})
    if (stands % divisor == first->sizes[number] % divisor)
      return false;
  return true;
}

/// Whether no number, and no difference of two that is not the same for all sizes, is the same in both choices.
static bool areOthers(ArrayRef<SizeExpression> expressions, ArrayRef<int64_t> numbers, ArrayRef<int64_t> first) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] == first[i])
      return false;
    for (size_t j = 0; j < i; ++j)
      if (numbers[i] - numbers[j] == first[i] - first[j] && !(expressions[i] - expressions[j]).isNumber())
        return false;
  }
  return true;
}

bool StandSearch::check() {
  for (bool isFarther : {false, true})
    for (int64_t shift : {0, 1, -1, 2, -2, 3, -3, 5, 7, 11})
      if (check({choice, isFarther, shift}))
        return true;
  return false;
}

/// Whether all numbers have a factor of their own. Very small factors are shared by too much.
bool StandSearch::check(const Drawing &drawing) {
  SizeScope scope(sizes, {}, drawing);
  found = {};
  for (const ScopedSize &size : sizes)
    found.sizes.push_back(size.stands);
  for (const DerivedDim &dim : derived) {
    std::optional<int64_t> number = scope.atStands(dim.expression);
    if (!number || *number < 5)
      return false;
    found.derived.push_back(*number);
  }
  for (const SizeExpression &expression : required)
    if (std::optional<int64_t> number = scope.atStands(expression); !number || *number < 0)
      return false;
  found.functions = scope.drawn();
  auto all = [](const Stands &stands) {
    SmallVector<int64_t> numbers(stands.sizes.begin(), stands.sizes.end());
    llvm::append_range(numbers, stands.derived);
    return numbers;
  };
  SmallVector<int64_t> numbers = all(found);
  SmallVector<SizeExpression> expressions;
  for (unsigned i = 0; i < sizes.size(); ++i)
    expressions.push_back(SizeExpression::size(i));
  for (const DerivedDim &dim : derived)
    expressions.push_back(dim.expression);
  if (first && !areOthers(expressions, numbers, all(*first)))
    return false;
  for (size_t i = 0; i < numbers.size(); ++i) {
    SmallVector<int64_t> others(fixed);
    for (size_t j = 0; j < numbers.size(); ++j)
      if (j != i)
        others.push_back(numbers[j]);
    if (ownPart(numbers[i], others) < 5)
      return false;
  }
  return true;
}

/// Whether none of `required` that is computed of the sizes up to this number alone is negative: a table of positions has
/// only so many rows.
bool StandSearch::fits(size_t number) const {
  auto valueOf = [&](const SizeExpression &atom) {
    std::optional<unsigned> size = atom.asSize();
    return size && *size <= number ? std::optional(sizes[*size].stands) : std::nullopt;
  };
  return llvm::all_of(required, [&](const SizeExpression &expression) {
    return expression.evaluate(valueOf).value_or(0) >= 0;
  });
}

bool StandSearch::choose(size_t number) {
  if (number == sizes.size())
    return ++tries, check();
  for (int64_t stands = largestOf(choice, number); stands > 2 && tries < mostTries; --stands) {
    if (!isCandidate(number, stands))
      continue;
    sizes[number].stands = stands;
    if (fits(number) && choose(number + 1))
      return true;
  }
  return false;
}

std::optional<Stands> StandSearch::run() { return choose(0) ? std::optional(found) : std::nullopt; }

std::optional<Stands> heddle::chooseStands(const std::vector<ScopedSize> &sizes, ArrayRef<DerivedDim> derived,
                                           ArrayRef<SizeExpression> required, ArrayRef<int64_t> fixed, int choice,
                                           const Stands *first) {
  return StandSearch(sizes, derived, required, fixed, choice, first).run();
}
