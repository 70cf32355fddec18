//===- Dim.cpp - integers that may depend on sizes ------------------------===//

#include "Dim.h"

#include "SizeScope.h"

#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace heddle;

/// Returns the current scope. There is always a scope while an expression contains sizes.
static SizeScope &scope() { return *SizeScope::current(); }

Dim::Dim(SizeExpression given) {
  if (!given.isNumber())
    given = scope().simplify(given);
  if (std::optional<int64_t> number = given.number())
    known = *number;
  else
    expression = std::make_shared<const SizeExpression>(std::move(given));
}

/// Returns the minimum and the maximum over all sizes; all integers if they are unknown.
static SizeBounds boundsOf(const SizeExpression &expression) {
  std::optional<SizeBounds> bounds = scope().domain().boundsOf(expression, {}, /*isExact=*/true);
  return bounds.value_or(SizeBounds{INT64_MIN, INT64_MAX});
}

int64_t Dim::low() const { return expression ? boundsOf(*expression).low : known; }
int64_t Dim::high() const { return expression ? boundsOf(*expression).high : known; }

std::string Dim::text() const {
  return expression ? expression->text(scope().names()) : std::to_string(known);
}

namespace heddle {
Dim operator+(const Dim &a, const Dim &b) {
  if (a.isFixed() && b.isFixed())
    return int64_t(uint64_t(a.known) + uint64_t(b.known));
  return a.asExpression() + b.asExpression();
}

Dim operator-(const Dim &a, const Dim &b) {
  if (a.isFixed() && b.isFixed())
    return int64_t(uint64_t(a.known) - uint64_t(b.known));
  return a.asExpression() - b.asExpression();
}

Dim operator*(const Dim &a, const Dim &b) {
  if (a.isFixed() && b.isFixed())
    return int64_t(uint64_t(a.known) * uint64_t(b.known));
  return a.asExpression() * b.asExpression();
}

bool operator==(const Dim &a, const Dim &b) {
  if (a.isFixed() && b.isFixed())
    return a.known == b.known;
  return scope().decide(a.asExpression() - b.asExpression(), /*isZero=*/true);
}

bool operator<(const Dim &a, const Dim &b) {
  if (a.isFixed() && b.isFixed())
    return a.known < b.known;
  return scope().decide(a.asExpression() - b.asExpression(), /*isZero=*/false);
}
} // namespace heddle

/// Whether `b` is nonzero at all sizes. If `b` may be 0, records this in the scope. If `a` and `b` are numbers, `b` is
/// not checked: the caller must not divide by the number 0.
static bool canDivide(const Dim &a, const Dim &b) {
  if (b.isFixed() && a.isFixed())
    return true;
  if (scope().domain().isZero(b.asExpression()).always == false)
    return true;
  scope().refuse("the divisor '" + b.text() + "' may be 0" + scope().exampleOfZero(b.asExpression()));
  return false;
}

Dim heddle::floorDiv(const Dim &a, const Dim &b) {
  if (!canDivide(a, b))
    return a;
  return SizeExpression::floorDiv(a.asExpression(), b.asExpression());
}

Dim heddle::ceilDiv(const Dim &a, const Dim &b) { return floorDiv(a + b - 1, b); }

namespace heddle {
/// Divides the magnitudes, rounds down, and multiplies by the signs. A sign becomes an expression only if the
/// bounds of a number do not show that its sign is the same at all sizes.
Dim operator/(const Dim &a, const Dim &b) {
  if (a.isFixed() && b.isFixed())
    return a.known / b.known;
  if (!canDivide(a, b))
    return a;
  auto sizeAndSign = [](const Dim &dim) -> std::pair<Dim, Dim> {
    if (dim.low() >= 0)
      return {dim, 1};
    if (dim.high() <= 0)
      return {-dim, -1};
    Dim sign = 1 - 2 * isLess(dim, 0);
    return {dim * sign, sign};
  };
  auto [top, topSign] = sizeAndSign(a);
  auto [bottom, bottomSign] = sizeAndSign(b);
  return Dim(SizeExpression::floorDiv(top.asExpression(), bottom.asExpression())) * topSign * bottomSign;
}

Dim operator%(const Dim &a, const Dim &b) {
  if (a.isFixed() && b.isFixed())
    return a.known % b.known;
  return a - b * (a / b);
}
} // namespace heddle

std::optional<Dim> heddle::divideExactly(const Dim &a, const Dim &b) {
  if (a.isFixed() && b.isFixed())
    return *b.number() != 0 && *a.number() % *b.number() == 0 ? std::optional<Dim>(*a.number() / *b.number())
                                                             : std::nullopt;
  SizeExpression top = a.asExpression(), bottom = b.asExpression();
  const SizeDomain &domain = scope().domain();
  if (domain.isZero(bottom).always != false)
    return std::nullopt;
  if (std::optional<SizeExpression> quotient = SizeExpression::divideExactly(top, bottom))
    return Dim(*quotient);
  SizeExpression quotient = SizeExpression::floorDiv(top, bottom);
  return domain.isZero(quotient * bottom - top).always == true ? std::optional(Dim(quotient)) : std::nullopt;
}

Dim heddle::minimum(const Dim &a, const Dim &b) {
  if (a.isFixed() && b.isFixed())
    return std::min(*a.number(), *b.number());
  return SizeExpression::min(a.asExpression(), b.asExpression());
}

Dim heddle::maximum(const Dim &a, const Dim &b) {
  if (a.isFixed() && b.isFixed())
    return std::max(*a.number(), *b.number());
  return SizeExpression::max(a.asExpression(), b.asExpression());
}

Dim heddle::isLess(const Dim &a, const Dim &b) {
  if (a.isFixed() && b.isFixed())
    return int64_t(*a.number() < *b.number());
  return SizeExpression::less(a.asExpression(), b.asExpression());
}

Dim heddle::isEqual(const Dim &a, const Dim &b) {
  if (a.isFixed() && b.isFixed())
    return int64_t(*a.number() == *b.number());
  return SizeExpression::equal(a.asExpression(), b.asExpression());
}

Dim heddle::select(const Dim &condition, const Dim &a, const Dim &b) {
  if (condition.isFixed())
    return *condition.number() ? a : b;
  return SizeExpression::select(condition.asExpression(), a.asExpression(), b.asExpression());
}

Dim heddle::product(ArrayRef<Dim> dims) {
  Dim all = 1;
  for (const Dim &dim : dims)
    all *= dim;
  return all;
}

/// The latest SeenExtents of the thread, the only one that records; null if there is none.
static thread_local SeenExtents *recording = nullptr;

SeenExtents::SeenExtents() : before(recording) { recording = this; }
SeenExtents::~SeenExtents() { recording = before; }

Dim heddle::dimOf(int64_t number) {
  if (recording)
    recording->numbers.insert(number);
  SizeScope *sizes = SizeScope::current();
  return sizes ? sizes->of(number) : Dim(number);
}

SymbolicShape heddle::dimsOf(ShapedType type) { return llvm::map_to_vector(type.getShape(), dimOf); }

int64_t heddle::numberOf(const Dim &dim) {
  std::optional<int64_t> number = dim.number();
  return number ? *number : scope().placeholderFor(dim.asExpression());
}

SmallVector<int64_t> heddle::numbersOf(ArrayRef<Dim> dims) {
  return llvm::map_to_vector(dims, [](const Dim &dim) { return numberOf(dim); });
}

std::optional<SmallVector<int64_t>> heddle::fixedNumbers(ArrayRef<Dim> dims) {
  SmallVector<int64_t> numbers;
  for (const Dim &dim : dims) {
    if (!dim.isFixed())
      return std::nullopt;
    numbers.push_back(*dim.number());
  }
  return numbers;
}
