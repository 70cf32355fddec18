//===- SizeScope.cpp - the sizes that an import computes with -------------===//

#include "SizeScope.h"

#include "../AnySizes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace heddle;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

static thread_local SizeScope *innermost = nullptr;

SizeScope::SizeScope(std::vector<ScopedSize> given, std::map<SizeExpression, int64_t> stands, Drawing drawing)
    : sizes(std::move(given)),
      ranges(llvm::map_to_vector(sizes, [](const ScopedSize &size) { return size.bounds; })),
      numbers(std::move(stands)), drawing(drawing), before(innermost) {
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

/// The least of a size and 64 is 64 for most numbers that may stand for the size, and 0 or 1 what a comparison is: such a
/// function has a number of its own, on the side of its operands on which it is.
int64_t SizeScope::draw(SizeCode kind, int64_t a, int64_t b) const {
  auto isTaken = [&](int64_t number) {
    return llvm::any_of(numbers, [&](auto &known) { return known.second == number; }) ||
           llvm::any_of(sizes, [&](const ScopedSize &size) { return size.stands == number; });
  };
  bool isUp = kind != SizeCode::Min;
  int64_t number = kind == SizeCode::Min ? (drawing.isFarther ? std::max(a, b) : std::min(a, b)) - 1 : kind == SizeCode::Max ? std::max(a, b) + 1 : 7;
  for (int left = drawing.choice; number > 2; number += isUp ? 1 : -1)
    if (isPrime(number) && !isTaken(number) && left-- == 0)
      break;
  return number;
}

std::optional<int64_t> SizeScope::atStands(const SizeExpression &expression) {
  return expression.evaluate([&](const SizeExpression &atom) -> std::optional<int64_t> {
    if (std::optional<unsigned> size = atom.asSize())
      return sizes[*size].stands;
    if (auto known = numbers.find(atom); known != numbers.end())
      return known->second;
    std::optional<SizeExpression::Function> function = atom.asFunction();
    std::optional<int64_t> a = function ? atStands(function->a) : std::nullopt;
    std::optional<int64_t> b = a ? atStands(function->b) : std::nullopt;
    if (!b)
      return std::nullopt;
    if (function->kind == SizeCode::FloorDivide) {
      std::optional<int64_t> quotient = SizeExpression::floorDiv(*a, *b).number();
      return quotient && drawing.shift ? numbers[atom] = *quotient + drawing.shift : quotient;
    }
    return numbers[atom] = draw(function->kind, *a, *b);
  });
}

Dim SizeScope::of(int64_t number) const {
  SizeExpression product = 1;
  bool isFixed = true;
  auto divide = [&](int64_t stands, const SizeExpression &expression) {
    for (; number && number % stands == 0; number /= stands) {
      product = product * expression;
      isFixed = false;
    }
  };
  for (const DerivedDim &dim : others)
    divide(dim.stands, dim.expression);
  for (auto [i, size] : llvm::enumerate(sizes))
    divide(size.stands, SizeExpression::size(unsigned(i)));
  return isFixed ? Dim(number) : Dim(product * number);
}

/// Of one that has no factors.
int64_t SizeScope::standsForFactor(const SizeExpression &expression) {
  if (std::optional<unsigned> size = expression.asSize())
    return sizes[*size].stands;
  for (const DerivedDim &dim : others)
    if (dim.expression == expression)
      return dim.stands;
  std::optional<int64_t> number = atStands(expression);
  if (!number || *number < 2) {
    wanting.push_back({expression, 0, place});
    return number && *number >= 0 ? *number : 0;
  }
  // What is equal for all sizes is one; what is not wants other numbers for the sizes.
  if (Dim known = of(*number); !known.isFixed()) {
    if (ranges.isZero(known.asExpression() - expression).always == true)
      return *number;
    wanting.push_back({expression, 0, place});
    return *number;
  }
  others.push_back({expression, *number, place});
  return *number;
}

void SizeScope::requireNotNegative(const SizeExpression &expression) {
  std::optional<int64_t> number = atStands(expression);
  violated |= !number || *number < 0;
  if (!expression.isNumber() && !llvm::is_contained(notNegative, expression))
    notNegative.push_back(expression);
}

int64_t SizeScope::standsFor(const SizeExpression &expression) {
  SizeExpression::Factors factors = expression.factors();
  int64_t number = factors.number;
  auto multiply = [&](const SizeExpression &factor) {
    if (llvm::MulOverflow(number, standsForFactor(factor), number)) {
      refuse("'" + expression.text(names()) + "' may be too large");
      number = 1;
    }
  };
  for (const SizeExpression &atom : factors.atoms)
    multiply(atom);
  if (factors.sum)
    multiply(*factors.sum);
  return number;
}

bool SizeScope::decide(const SizeExpression &expression, bool isZero) {
  std::string question = (isZero ? "0 = " : "0 > ") + expression.text(names());
  if (auto known = decided.find(question); known != decided.end())
    return known->second;
  SizeDecision decision = isZero ? ranges.isZero(expression) : ranges.isNegative(expression);
  if (decision.always)
    return decided[question] = *decision.always;
  std::string why = "whether '" + expression.text(names()) + (isZero ? "' is 0" : "' is less than 0");
  if (!decision.where.empty() && !decision.whereNot.empty())
    refuse(why + " is not the same for all sizes: it is at " + describe(decision.where) + ", not at " +
           describe(decision.whereNot));
  else
    refuse(why + " is not known for all sizes of these ranges");
  std::optional<int64_t> number = atStands(expression);
  return number && (isZero ? *number == 0 : *number < 0);
}

void SizeScope::refuse(std::string why) {
  if (!refusal)
    refusal = std::move(why);
}

std::optional<std::string> SizeScope::takeRefusal() { return std::exchange(refusal, std::nullopt); }
