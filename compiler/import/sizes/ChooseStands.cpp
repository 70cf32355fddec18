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

/// Lowerings may take shorter ways where an extent is a multiple of one of these: of lanes, or of rows that are taken
/// together.
static constexpr int64_t divisors[] = {2, 3, 4, 5, 7, 8};

/// How many are tried, one size after the other.
static constexpr int mostTries = 500;

/// How many are tried as the first ones, beside each of which there may be no second ones.
static constexpr int mostRefused = 20;

int64_t heddle::ownPart(int64_t number, ArrayRef<int64_t> others) {
  int64_t own = number;
  for (int64_t other : others)
    for (int64_t common = std::gcd(own, other); common > 1; common = std::gcd(own, other))
      own /= common;
  return own;
}

namespace {
/// What numbers are chosen for.
struct Wanted {
  const std::vector<ScopedSize> &sizes;
  ArrayRef<DerivedDim> derived;
  ArrayRef<SizeExpression> required;
  ArrayRef<int64_t> fixed;
  std::map<std::pair<size_t, int64_t>, bool> multiples = {}; // whether what is derived is one at all sizes, if that is known

  bool isMultiple(size_t dim, int64_t divisor);
};

class StandSearch {
public:
  StandSearch(Wanted &wanted, int choice, const Stands *first)
      : wanted(wanted), sizes(wanted.sizes), choice(choice), first(first) {}

  /// The first numbers, none of a size below `least`, that `accept` takes; with `strictly` what is derived is no multiple
  /// of any divisor but 2.
  std::optional<Stands> run(int64_t least, bool strictly, llvm::function_ref<bool(const Stands &)> accept);

private:
  bool choose(size_t number);
  bool isCandidate(size_t number, int64_t stands) const;
  bool fits(llvm::function_ref<bool(size_t)> isKnown) const;
  bool areNoMultiples(const Stands &numbers) const;
  bool check();
  bool check(const Drawing &drawing);

  Wanted &wanted;
  std::vector<ScopedSize> sizes;
  int choice;
  const Stands *first; // null in choice 0
  bool strict = false;
  llvm::function_ref<bool(const Stands &)> accept;
  std::vector<SmallVector<int64_t>> candidates; // for each size, the largest first
  int tries = 0, refused = 0;
  Stands found;
};
} // namespace

/// Whether what is derived is a multiple of `divisor` at all sizes.
bool Wanted::isMultiple(size_t dim, int64_t divisor) {
  auto [known, isNew] = multiples.try_emplace({dim, divisor}, false);
  if (isNew) {
    SizeScope scope(sizes);
    const SizeExpression &number = derived[dim].expression;
    SizeExpression rest = number - SizeExpression::floorDiv(number, divisor) * divisor;
    known->second = scope.domain().isZero(rest).always.value_or(false);
  }
  return known->second;
}

bool StandSearch::isCandidate(size_t number, int64_t stands) const {
  // Of two odd numbers the sum is even: that of one and twice a prime is not.
  bool isTwice = stands % 2 == 0 && isPrime(stands / 2);
  if (!isPrime(stands) && (choice == 0 || !isTwice))
    return false;
  return !first || llvm::none_of(ArrayRef<int64_t>{3, 4, 5, 7, 8}, [&](int64_t divisor) {
    return stands % divisor == first->sizes[number] % divisor;
  });
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

/// Whether no derived number is by chance, in both choices, a multiple of a number that lowerings care for.
bool StandSearch::areNoMultiples(const Stands &numbers) const {
  for (size_t dim = 0; dim < wanted.derived.size(); ++dim)
    for (int64_t divisor : divisors) {
      bool isOne = numbers.derived[dim] % divisor == 0 && (!first || first->derived[dim] % divisor == 0);
      if (isOne && (first || (strict && divisor != 2)) && !wanted.isMultiple(dim, divisor))
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
  for (const DerivedDim &dim : wanted.derived) {
    std::optional<int64_t> number = scope.atStands(dim.expression);
    if (!number || *number < 5)
      return false;
    found.derived.push_back(*number);
  }
  for (const SizeExpression &expression : wanted.required)
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
  for (const DerivedDim &dim : wanted.derived)
    expressions.push_back(dim.expression);
  if ((first && !areOthers(expressions, numbers, all(*first))) || !areNoMultiples(found))
    return false;
  for (size_t i = 0; i < numbers.size(); ++i) {
    SmallVector<int64_t> others(wanted.fixed);
    for (size_t j = 0; j < numbers.size(); ++j)
      if (j != i)
        others.push_back(numbers[j]);
    if (ownPart(numbers[i], others) < 5)
      return false;
  }
  return true;
}

/// Whether none of `required` that is computed of such sizes alone is negative: a table of positions has only so many
/// rows.
bool StandSearch::fits(llvm::function_ref<bool(size_t)> isKnown) const {
  auto valueOf = [&](const SizeExpression &atom) {
    std::optional<unsigned> size = atom.asSize();
    return size && isKnown(*size) ? std::optional(sizes[*size].stands) : std::nullopt;
  };
  return llvm::all_of(wanted.required, [&](const SizeExpression &expression) {
    return expression.evaluate(valueOf).value_or(0) >= 0;
  });
}

bool StandSearch::choose(size_t number) {
  if (number == sizes.size())
    return ++tries, check() && (accept(found) || (++refused, false));
  for (int64_t stands : candidates[number]) {
    if (tries >= mostTries || refused >= mostRefused)
      return false;
    if (std::any_of(sizes.begin(), sizes.begin() + number, [&](auto &size) { return size.stands == stands; }))
      continue;
    sizes[number].stands = stands;
    if (fits([&](size_t size) { return size <= number; }) && choose(number + 1))
      return true;
  }
  return false;
}

std::optional<Stands> StandSearch::run(int64_t least, bool strictly, llvm::function_ref<bool(const Stands &)> acceptance) {
  strict = strictly;
  accept = acceptance;
  for (size_t number = 0; number < sizes.size(); ++number) {
    candidates.emplace_back();
    for (int64_t &stands = sizes[number].stands = largestOf(choice, number); stands >= least; --stands)
      if (isCandidate(number, stands) && fits([&](size_t size) { return size == number; }))
        candidates.back().push_back(stands);
    if (choice == 2) // twice primes first
      llvm::sort(candidates.back(), [](int64_t a, int64_t b) { return std::pair(a % 2, -a) < std::pair(b % 2, -b); });
  }
  return choose(0) ? std::optional(found) : std::nullopt;
}

std::vector<Stands> heddle::chooseStands(const std::vector<ScopedSize> &sizes, ArrayRef<DerivedDim> derived,
                                         ArrayRef<SizeExpression> required, ArrayRef<int64_t> fixed) {
  Wanted wanted{sizes, derived, required, fixed};
  auto search = [&](int choice, const Stands *first, int64_t least, bool strictly,
                    llvm::function_ref<bool(const Stands &)> accept) {
    return StandSearch(wanted, choice, first).run(least, strictly, accept);
  };
  auto any = [](const Stands &) { return true; };
  // Where a table has few rows for what all sizes sum up to, one must not take what the others need: lowerings make other
  // code for less than a tile.
  constexpr int64_t leasts[] = {128, 64, 32, 16, 8, 3};
  auto chooseTwo = [&](int64_t least, bool strictly) {
    std::vector<Stands> two;
    std::optional<Stands> second;
    if (std::optional<Stands> first = search(0, nullptr, least, strictly, [&](const Stands &numbers) {
          return (second = search(1, &numbers, least, false, any)).has_value();
        }))
      two = {*first, *second};
    return two;
  };
  std::vector<Stands> chosen;
  for (int64_t least : leasts)
    for (bool strictly : {true, false})
      if (chosen.empty())
        chosen = chooseTwo(least, strictly);
  if (chosen.empty())
    if (std::optional<Stands> first = search(0, nullptr, leasts[std::size(leasts) - 1], false, any))
      return {*first};
  for (int choice = 2; !chosen.empty() && choice < int(std::size(largest)); ++choice)
    for (int64_t least : leasts)
      if (std::optional<Stands> other = search(choice, &chosen[0], least, false, any)) {
        chosen.push_back(*other);
        break;
      }
  return chosen;
}
