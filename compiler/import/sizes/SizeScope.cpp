//===- SizeScope.cpp - the scope of sizes of an import --------------------===//

#include "SizeScope.h"

#include "ChoosePlaceholders.h"
#include "Monomials.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace heddle;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

/// The innermost scope of the thread: the latest scope that still exists; null if there is none.
static thread_local SizeScope *innermost = nullptr;

SizeScope::SizeScope(std::vector<ScopedSize> scoped, GivenPlaceholders chosen, bool isUnchecked,
                     std::optional<SizeLimit> limit)
    : sizes(std::move(scoped)), ranges(llvm::map_to_vector(sizes, [](const ScopedSize &size) { return size.bounds; })),
      given(std::move(chosen)), isUnchecked(isUnchecked), before(innermost) {
  if (limit)
    ranges.setLimit(*limit);
  innermost = this;
}

SizeScope::~SizeScope() { innermost = before; }

SizeScope *SizeScope::current() { return innermost; }

SmallVector<StringRef> SizeScope::names() const {
  return llvm::map_to_vector(sizes, [](const ScopedSize &size) { return StringRef(size.name); });
}

std::string SizeScope::describe(ArrayRef<int64_t> values) const {
  std::string text;
  for (auto [size, value] : llvm::zip_equal(sizes, values))
    text += (text.empty() ? "" : " ") + size.name + "=" + std::to_string(value);
  return text;
}

/// Replaces each product of comparisons by a number if it has the same value at all sizes. An example is (s < 3) * (5 <
/// s), which is always 0.
static SizeExpression decideConjunctions(const SizeDomain &ranges, const SizeExpression &expression) {
  SmallVector<Monomial> terms = monomialsOf(expression);
  SizeExpression sum = 0;
  bool isDecided = false;
  for (const Monomial &term : terms) {
    Monomial conditions, others{term.number, {}};
    for (const SizeExpression &atom : term.atoms)
      (isComparison(atom) ? conditions : others).atoms.push_back(atom);
    std::optional<SizeBounds> bounds;
    if (conditions.atoms.size() > 1)
      bounds = ranges.boundsOf(conditions.product(), {}, /*isExact=*/true);
    bool isNumber = bounds && bounds->isNumber();
    isDecided |= isNumber;
    sum = sum + others.product() * others.number * (isNumber ? SizeExpression(bounds->low) : conditions.product());
  }
  return isDecided ? sum : expression;
}

SizeExpression SizeScope::simplify(const SizeExpression &expression) {
  auto [known, isNew] = simple.try_emplace(expression, expression);
  if (!isNew)
    return known->second;
  SizeExpression result = decideConjunctions(ranges, ranges.simplify(expression));
  std::optional<SizeBounds> bounds = ranges.boundsOf(result, {}, /*isExact=*/true);
  if (!bounds || result.isNumber() || result.asSize())
    return known->second = result;
  if (bounds->isNumber())
    return known->second = bounds->low;
  for (unsigned size : result.sizes()) // an example is where(s < 2, 1, s), which is s for s >= 1
    if (bounds->low == sizes[size].bounds.low && bounds->high == sizes[size].bounds.high &&
        ranges.isZero(result - SizeExpression::size(size)).always == true)
      return known->second = SizeExpression::size(size);
  return known->second = result;
}

std::optional<int64_t> SizeScope::atPlaceholders(const SizeExpression &expression) const {
  int64_t sum = 0;
  for (const Monomial &term : monomialsOf(expression)) {
    int64_t product = term.number;
    auto multiply = [&](int64_t number) { return !llvm::MulOverflow(product, number, product); };
    bool fits = true;
    if (auto known = given.functions.find(term.product()); known != given.functions.end()) {
      fits = multiply(known->second);
    } else if (term.hasComparison()) {
      return std::nullopt;
    } else {
      for (const SizeExpression &atom : term.atoms) {
        std::optional<unsigned> size = atom.asSize();
        auto function = given.functions.find(atom);
        if (!size && function == given.functions.end())
          return std::nullopt;
        fits &= multiply(size ? sizes[*size].placeholder : function->second);
      }
    }
    if (!fits || llvm::AddOverflow(sum, product, sum))
      return std::nullopt;
  }
  return sum;
}

Dim SizeScope::of(int64_t number) const {
  SizeExpression product = 1;
  bool isFixed = true;
  auto divide = [&](int64_t placeholder, const SizeExpression &expression) {
    for (; number && number % placeholder == 0; number /= placeholder) {
      product = product * expression;
      isFixed = false;
    }
  };
  for (const DerivedDim &dim : others)
    divide(dim.placeholder, dim.expression);
  for (auto [i, size] : llvm::enumerate(sizes))
    divide(size.placeholder, SizeExpression::size(unsigned(i)));
  return isFixed ? Dim(number) : Dim(product * number);
}

/// Returns a prime that is not the placeholder of another derived size. An import with such a placeholder only serves
/// to find derived sizes, and must be repeated with other placeholders.
int64_t SizeScope::independentPlaceholder() {
  hasUnsuitable = true;
  int64_t number = 100003;
  auto isTaken = [&] { return llvm::any_of(others, [&](const DerivedDim &dim) { return dim.placeholder == number; }); };
  while (!isPrime(number) || isTaken())
    ++number;
  return number;
}

std::string SizeScope::example(const SizeExpression &expression) const {
  std::optional<SizeBounds> bounds = ranges.boundsOf(expression, {}, /*isExact=*/true);
  if (!bounds)
    return "";
  SizeDecision minimum = ranges.isZero(expression - bounds->low);
  auto valueAt = [&](ArrayRef<int64_t> at) { return std::to_string(SizeEvaluator(expression).at(at).value_or(0)); };
  if (minimum.where.empty() || minimum.whereNot.empty())
    return "";
  return ", which is " + valueAt(minimum.where) + " at " + describe(minimum.where) + " and " +
         valueAt(minimum.whereNot) + " at " + describe(minimum.whereNot);
}

std::string SizeScope::exampleOfZero(const SizeExpression &expression) const {
  SizeDecision zero = ranges.isZero(expression);
  if (zero.where.empty())
    return "";
  return ": it is 0 at " + describe(zero.where) + (zero.whereNot.empty() ? "" : ", not at " + describe(zero.whereNot));
}

/// Adds a derived size with the placeholder `number`, and returns `number`.
int64_t SizeScope::derive(const SizeExpression &expression, SizeBounds bounds, int64_t number) {
  if (expression.stacked() > SizeExpression::maxStacked)
    refuse("the extent or offset '" + expression.text(names()) + "'" + example(expression) +
           ": it is nested too deeply for the description of a library");
  others.push_back({expression, number, bounds, place});
  return number;
}

/// Returns the placeholder of a derived size that equals the expression at all sizes. If the expression is the product
/// of two derived sizes, returns the product of their placeholders. Otherwise returns nothing.
std::optional<int64_t> SizeScope::findKnown(const SizeExpression &expression, SizeBounds bounds) {
  for (const DerivedDim &dim : others) {
    SizeExpression difference = dim.expression - expression;
    if (dim.bounds.low != bounds.low || dim.bounds.high != bounds.high || ranges.isZero(difference).always != true)
      continue;
    bool hasNumber = llvm::any_of(monomialsOf(difference), [](const Monomial &term) { return term.atoms.empty(); });
    if (!hasNumber) { // both share one placeholder, so their values at the placeholders must be equal
      requireNotNegative(difference);
      requireNotNegative(-difference);
    }
    return dim.placeholder;
  }
  for (size_t i = 0; i < others.size(); ++i)
    for (size_t j = 0; j <= i; ++j)
      if (others[i].expression * others[j].expression == expression)
        return others[i].placeholder * others[j].placeholder;
  return std::nullopt;
}

/// Returns the placeholder of an expression that is not a product: a size, or a derived size, which is added if it is
/// new.
int64_t SizeScope::placeholderForFactor(const SizeExpression &expression) {
  if (std::optional<unsigned> size = expression.asSize())
    return sizes[*size].placeholder;
  for (const DerivedDim &dim : others)
    if (dim.expression == expression)
      return dim.placeholder;
  SizeBounds bounds = ranges.boundsOf(expression, {}, /*isExact=*/true).value_or(SizeBounds{0, INT64_MAX});
  if (std::optional<int64_t> known = findKnown(expression, bounds))
    return *known;
  std::optional<int64_t> number;
  if (auto alone = given.functions.find(expression); alone != given.functions.end())
    number = alone->second;
  else if (!isIndependent(expression))
    number = atPlaceholders(expression);
  if (!number || *number < 2)
    return derive(expression, bounds, independentPlaceholder());
  // If this number already represents something else, the sizes need other placeholders.
  Dim meaning = of(*number);
  if (meaning.isFixed())
    return derive(expression, bounds,
                  ownPart(*number, given.taken) < minPlaceholder ? independentPlaceholder() : *number);
  if (ranges.isZero(meaning.asExpression() - expression).always == true)
    return *number;
  return derive(expression, bounds, independentPlaceholder());
}

void SizeScope::requireNotNegative(const SizeExpression &expression) {
  if (expression.isNumber())
    return;
  std::optional<int64_t> number = atPlaceholders(expression);
  hasUnsuitable |= !isUnchecked && (!number || *number < 0);
  if (!llvm::is_contained(notNegative, expression))
    notNegative.push_back(expression);
}

bool SizeScope::requireSum(const SizeExpression &expression) {
  auto sum = llvm::find_if(others, [&](const DerivedDim &dim) { return dim.expression == expression; });
  if (sum == others.end() || sum->adds || isIndependent(expression))
    return false;
  return sum->adds = hasUnsuitable = true;
}

int64_t SizeScope::placeholderFor(const SizeExpression &expression) {
  if (std::optional<int64_t> number = expression.number())
    return *number;
  auto [known, isNew] = placeholders.try_emplace(expression, 0);
  return isNew ? known->second = findNumber(expression) : known->second;
}

/// Computes the result of placeholderFor: the product of the placeholders of the expression's factors.
int64_t SizeScope::findNumber(const SizeExpression &expression) {
  int64_t number = 1;
  auto multiply = [&](int64_t factor) {
    if (llvm::MulOverflow(number, factor, number)) {
      refuse("'" + expression.text(names()) +
             "' is a product of so many sizes that its placeholder does not fit into 64 bits");
      number = 1;
    }
  };
  for (const DerivedDim &dim : others)
    if (auto quotient = SizeExpression::divideExactly(expression, dim.expression)) {
      multiply(dim.placeholder);
      multiply(placeholderFor(*quotient));
      return number;
    }
  SizeExpression::Factors factors = expression.factors();
  SizeExpression rest = factors.sum.value_or(SizeExpression(1));
  multiply(std::abs(factors.number));
  if (factors.number < 0)
    rest = -rest;
  for (const SizeExpression &atom : factors.atoms) {
    // where(c, s, 0) gets its own placeholder, not the product of the placeholders of c and s.
    if (factors.number < 0 || Monomial{1, {atom}}.hasComparison())
      rest = rest * atom;
    else
      multiply(placeholderForFactor(atom));
  }
  if (rest != SizeExpression(1))
    multiply(placeholderForFactor(rest));
  return number;
}

bool SizeScope::decide(const SizeExpression &expression, bool isZero) {
  std::string question = (isZero ? "0 = " : "0 > ") + expression.text(names());
  if (auto known = decided.find(question); known != decided.end())
    return known->second;
  SizeDecision decision = isZero ? ranges.isZero(expression) : ranges.isNegative(expression);
  if (decision.always)
    return decided[question] = *decision.always;
  if (isZero)
    zeros.push_back(expression);
  std::string why = "whether '" + expression.text(names()) + (isZero ? "' is 0" : "' is less than 0");
  if (!decision.where.empty() && !decision.whereNot.empty())
    refuse(why + " is not the same for all sizes: this is true at " + describe(decision.where) + ", not at " +
           describe(decision.whereNot));
  else
    refuse(why + " is not known for all sizes of these ranges");
  std::optional<int64_t> number = atPlaceholders(expression);
  return number && (isZero ? *number == 0 : *number < 0);
}

void SizeScope::refuse(std::string why) {
  if (!refusal)
    refusal = std::move(why);
}

std::optional<std::string> SizeScope::takeRefusal() { return std::exchange(refusal, std::nullopt); }
