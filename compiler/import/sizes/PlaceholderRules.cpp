//===- PlaceholderRules.cpp - requirements for placeholders ---------------===//

#include "PlaceholderRules.h"

#include "Monomials.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace heddle;
using llvm::ArrayRef;
using llvm::SmallVector;

PlaceholderRules::PlaceholderRules(const std::vector<ScopedSize> &sizes, ArrayRef<DerivedDim> derived,
                                   ArrayRef<SizeExpression> required, ArrayRef<int64_t> fixed, bool isUnchecked)
    : sizes(sizes), fixed(fixed) {
  for (unsigned i = 0; i < sizes.size(); ++i)
    expressions.push_back(SizeExpression::size(i));
  for (const DerivedDim &dim : derived) {
    expressions.push_back(dim.expression);
    dims.push_back(compile(dim.expression, (isUnchecked && !dim.adds) || isIndependent(dim.expression)));
  }
  for (const SizeExpression &expression : required)
    notNegative.push_back(compile(expression, /*asFunction=*/false));
  for (const SizeExpression &expression : expressions)
    hidden.push_back(llvm::any_of(expression.sizes(), [&](unsigned size) { return sizes[size].isHidden; }));
}

PlaceholderRules::Polynomial PlaceholderRules::compile(const SizeExpression &expression, bool asFunction) {
  Polynomial polynomial;
  SmallVector<Monomial> terms = monomialsOf(expression);
  if (asFunction)
    terms = {{1, {expression}}};
  for (const Monomial &term : terms) {
    if (term.atoms.empty()) {
      polynomial.constant += term.number;
      continue;
    }
    polynomial.terms.emplace_back(term.number, SmallVector<unsigned>());
    SmallVector<unsigned> &values = polynomial.terms.back().second;
    auto multiply = [&](const SizeExpression &function) {
      auto known = llvm::find(others, function);
      values.push_back(unsigned(sizes.size() + size_t(known - others.begin())));
      if (known == others.end())
        others.push_back(function);
    };
    if (asFunction || term.hasComparison())
      multiply(asFunction ? expression : term.product());
    else
      for (const SizeExpression &atom : term.atoms)
        if (std::optional<unsigned> size = atom.asSize())
          values.push_back(*size);
        else
          multiply(atom);
    unsigned low = *llvm::min_element(values);
    polynomial.first = polynomial.terms.size() == 1 ? low : std::min(polynomial.first, low);
    polynomial.last = std::max(polynomial.last, *llvm::max_element(values));
  }
  for (const auto &[number, values] : polynomial.terms)
    for (unsigned value : values)
      if (value != polynomial.last)
        polynomial.before = std::max(polynomial.before, value + 1);
  return polynomial;
}

/// Returns the value of the polynomial; INT64_MIN if it overflows.
int64_t PlaceholderRules::Polynomial::at(ArrayRef<int64_t> values) const {
  int64_t sum = constant;
  for (const auto &[number, factors] : terms) {
    int64_t product = number;
    for (unsigned value : factors)
      if (llvm::MulOverflow(product, values[value], product))
        return INT64_MIN;
    if (llvm::AddOverflow(sum, product, sum))
      return INT64_MIN;
  }
  return sum;
}

bool PlaceholderRules::isCandidate(size_t size, int64_t number) const {
  // In all sets except the first, a placeholder may be twice a prime. The sum of two odd placeholders is always even,
  // but the sum of an odd number and twice a prime is odd.
  bool isTwice = number % 2 == 0 && isPrime(number / 2);
  if ((!isPrime(number) && !(first && isTwice)) || ownPart(number, fixed) == 1)
    return false;
  for (int64_t divisor : {3, 4, 5, 7, 8})
    if (first && !isHidden(size) && number % divisor == first->sizes[size] % divisor)
      return false;
  return true;
}

bool PlaceholderRules::holds(ArrayRef<int64_t> values) const {
  return llvm::all_of(notNegative, [&](const Polynomial &polynomial) { return polynomial.at(values) >= 0; });
}

bool PlaceholderRules::holdsFarOut(ArrayRef<int64_t> values) const {
  return llvm::all_of(notNegative,
                      [&](const Polynomial &polynomial) { return polynomial.at(values) >= polynomial.constant; });
}

std::optional<unsigned> PlaceholderRules::failsUpTo(size_t size, ArrayRef<int64_t> values) const {
  std::optional<unsigned> minimum;
  for (const Polynomial &polynomial : notNegative)
    if (polynomial.last == size && polynomial.at(values) < 0)
      minimum = std::min(minimum.value_or(polynomial.before), polynomial.before);
  return minimum;
}

bool PlaceholderRules::holdsAlone(size_t size, int64_t value) const {
  SmallVector<int64_t> values(size + 1, value);
  return llvm::all_of(notNegative, [&](const Polynomial &polynomial) {
    return polynomial.first != size || polynomial.last != size || polynomial.at(values) >= 0;
  });
}

int64_t heddle::ownPart(int64_t number, ArrayRef<int64_t> others) {
  int64_t own = number;
  for (int64_t other : others)
    for (int64_t common = std::gcd(own, other); common > 1; common = std::gcd(own, other))
      own /= common;
  return own;
}

bool PlaceholderRules::areOthers(ArrayRef<int64_t> numbers, ArrayRef<int64_t> firstNumbers) const {
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (isHidden(i))
      continue;
    if (numbers[i] == firstNumbers[i])
      return false;
    for (size_t j = 0; j < i; ++j)
      if (!isHidden(j) && numbers[i] - numbers[j] == firstNumbers[i] - firstNumbers[j] &&
          !(expressions[i] - expressions[j]).isNumber())
        return false;
  }
  return true;
}

/// Whether the derived size with the index `dim` is a multiple of `divisor` at all sizes.
bool PlaceholderRules::isMultiple(size_t dim, int64_t divisor) {
  auto [known, isNew] = multiples.try_emplace({dim, divisor}, false);
  if (isNew) {
    SizeScope scope(sizes);
    const SizeExpression &number = expressions[sizes.size() + dim];
    SizeExpression rest = number - SizeExpression::floorDiv(number, divisor) * divisor;
    known->second = scope.domain().isZero(rest).always.value_or(false);
  }
  return known->second;
}

/// Whether no placeholder of a derived size is accidentally a multiple of a number on which lowerings depend, such as
/// the number of lanes of a vector or of rows of a tile. For a later set, a number counts only if the placeholder in
/// the first set is a multiple of it, too.
bool PlaceholderRules::areNoMultiples(ArrayRef<int64_t> derived, bool strictly) {
  for (size_t dim = 0; dim < derived.size(); ++dim)
    for (int64_t divisor : {2, 3, 4, 5, 7, 8}) {
      bool isMultipleInBoth = derived[dim] % divisor == 0 && (!first || first->derived[dim] % divisor == 0);
      bool counts = first ? strictly || divisor == 4 : strictly && divisor != 2;
      if (isMultipleInBoth && counts && !isHidden(sizes.size() + dim) && !isMultiple(dim, divisor))
        return false;
    }
  return true;
}

std::optional<Placeholders> PlaceholderRules::accept(ArrayRef<int64_t> values, int64_t minimum, bool strictly) {
  constexpr int64_t maximum = int64_t(1) << 22; // the limit keeps products within 64 bits
  auto all = [](const Placeholders &placeholders) {
    SmallVector<int64_t> numbers(placeholders.sizes.begin(), placeholders.sizes.end());
    llvm::append_range(numbers, placeholders.derived);
    return numbers;
  };
  Placeholders placeholders;
  placeholders.sizes.assign(values.begin(), values.begin() + sizes.size());
  for (const Polynomial &dim : dims) {
    placeholders.derived.push_back(dim.at(values));
    if (placeholders.derived.back() < std::max(minimum, minPlaceholder) ||
        (placeholders.derived.back() > maximum && !others.empty()))
      return std::nullopt;
  }
  SmallVector<int64_t> numbers = all(placeholders);
  if ((first && !areOthers(numbers, all(*first))) || !areNoMultiples(placeholders.derived, strictly))
    return std::nullopt;
  for (size_t i = 0; i < numbers.size(); ++i) {
    SmallVector<int64_t> rest(numbers);
    rest.erase(rest.begin() + i);
    llvm::append_range(rest, fixed);
    if (ownPart(numbers[i], rest) < std::min(minimum, minPlaceholder))
      return std::nullopt;
  }
  for (auto [function, value] : llvm::zip_equal(others, values.drop_front(sizes.size())))
    placeholders.functions[function] = value;
  return placeholders;
}
