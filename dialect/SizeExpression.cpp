//===- SizeExpression.cpp - integers computed from sizes ------------------===//

#include "SizeExpression.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <numeric>

using namespace heddle;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

std::string SizeExpression::keyOf(const Term &term) {
  std::string key;
  for (const AtomRef &atom : term.factors)
    key += atom->key + "*";
  return key;
}

/// Adds up terms with the same factors and sorts the terms by key, so equal polynomials have equal keys.
SizeExpression SizeExpression::ofTerms(SmallVector<Term> terms, bool isValid) {
  std::map<std::string, Term> sorted;
  for (Term &term : terms) {
    llvm::sort(term.factors, [](const AtomRef &a, const AtomRef &b) { return a->key < b->key; });
    auto [known, isNew] = sorted.try_emplace(keyOf(term), term);
    if (!isNew)
      isValid &= !llvm::AddOverflow(known->second.coefficient, term.coefficient, known->second.coefficient);
  }
  auto content = std::make_shared<Content>();
  content->isValid = isValid;
  for (auto &[key, term] : sorted)
    if (term.coefficient != 0) {
      content->key += std::to_string(term.coefficient) + key + "+";
      content->terms.push_back(std::move(term));
    }
  if (!isValid)
    content->key = "none";
  SizeExpression expression(0);
  expression.content = std::move(content);
  return expression;
}

SizeExpression::SizeExpression(int64_t number) {
  static const auto zero = std::make_shared<const Content>();
  if (number == 0) {
    content = zero;
    return;
  }
  auto constant = std::make_shared<Content>();
  constant->terms.push_back({number, {}});
  constant->key = std::to_string(number) + "+";
  content = std::move(constant);
}

SizeExpression SizeExpression::ofAtom(SizeCode kind, unsigned number) {
  auto atom = std::make_shared<Atom>(Atom{kind, number, 0, 0, {}});
  atom->key = (kind == SizeCode::Size ? "s" : "d") + std::to_string(number); // d: a place, as in text()
  return ofTerms({{1, {atom}}}, true);
}

SizeExpression SizeExpression::ofAtom(SizeCode kind, const SizeExpression &a, const SizeExpression &b) {
  auto atom = std::make_shared<Atom>(Atom{kind, 0, a, b, {}});
  atom->key = "(" + std::to_string(int64_t(kind)) + "," + a.key() + "," + b.key() + ")";
  return ofTerms({{1, {atom}}}, a.content->isValid && b.content->isValid);
}

SizeExpression SizeExpression::size(unsigned number) { return ofAtom(SizeCode::Size, number); }
SizeExpression SizeExpression::place(unsigned dim) { return ofAtom(SizeCode::Place, dim); }

namespace heddle {
SizeExpression operator+(const SizeExpression &a, const SizeExpression &b) {
  SmallVector<SizeExpression::Term> terms(a.content->terms);
  llvm::append_range(terms, b.content->terms);
  if (terms.size() > SizeExpression::maxTerms)
    return SizeExpression::ofTerms({}, /*isValid=*/false);
  return SizeExpression::ofTerms(std::move(terms), a.content->isValid && b.content->isValid);
}

SizeExpression operator*(const SizeExpression &a, const SizeExpression &b) {
  SmallVector<SizeExpression::Term> terms;
  bool isValid = a.content->isValid && b.content->isValid;
  if (a.content->terms.size() * b.content->terms.size() > SizeExpression::maxTerms)
    return SizeExpression::ofTerms({}, /*isValid=*/false);
  for (const SizeExpression::Term &x : a.content->terms)
    for (const SizeExpression::Term &y : b.content->terms) {
      SizeExpression::Term term = x;
      isValid &= !llvm::MulOverflow(x.coefficient, y.coefficient, term.coefficient);
      term.factors.append(y.factors.begin(), y.factors.end());
      terms.push_back(std::move(term));
    }
  return SizeExpression::ofTerms(std::move(terms), isValid);
}
} // namespace heddle

std::optional<int64_t> SizeExpression::number() const {
  const auto &terms = content->terms;
  if (!content->isValid || terms.size() > 1 || (terms.size() == 1 && !terms[0].factors.empty()))
    return std::nullopt;
  return terms.empty() ? 0 : terms[0].coefficient;
}

std::optional<unsigned> SizeExpression::asSize() const {
  const auto &terms = content->terms;
  if (!content->isValid || terms.size() != 1 || terms[0].coefficient != 1 || terms[0].factors.size() != 1 ||
      terms[0].factors[0]->kind != SizeCode::Size)
    return std::nullopt;
  return terms[0].factors[0]->number;
}

std::optional<int64_t> heddle::floorDivide(int64_t a, int64_t b) {
  if (b == 0 || (a == INT64_MIN && b == -1))
    return std::nullopt;
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/// Simplifies a quotient by a constant: terms that are multiples of the divisor are moved out of the quotient, so
/// (64 * q + r) floordiv 64 becomes q + r floordiv 64. Other quotients become a variable of the polynomial.
SizeExpression SizeExpression::floorDiv(const SizeExpression &a, const SizeExpression &b) {
  std::optional<int64_t> divisor = b.number(), dividend = a.number();
  if (divisor && dividend)
    if (auto quotient = floorDivide(*dividend, *divisor))
      return *quotient;
  if (divisor == 1)
    return a;
  if (!divisor || *divisor == 0 || *divisor == INT64_MIN || !a.content->isValid)
    return ofAtom(SizeCode::FloorDivide, a, b);
  if (*divisor < 0)
    return floorDiv(-a, -*divisor);
  // Quotients that are rounded up get a canonical form: (s + 63) floordiv 64, not -(-s floordiv 64).
  const auto *first = llvm::find_if(a.content->terms, [](const Term &term) { return !term.factors.empty(); });
  if (first != a.content->terms.end() && first->coefficient < 0)
    if (SizeExpression up = -a + (*divisor - 1); up.content->isValid)
      return -floorDiv(up, b);
  SmallVector<Term> whole, rest;
  for (const Term &term : a.content->terms) {
    if (term.coefficient == INT64_MIN)
      return ofAtom(SizeCode::FloorDivide, a, b);
    int64_t quotient = *floorDivide(term.coefficient, *divisor), left = term.coefficient - quotient * *divisor;
    bool isMultiple = left == 0;
    if (isMultiple || term.factors.empty())
      whole.push_back({quotient, term.factors});
    if (!isMultiple)
      rest.push_back(term.factors.empty() ? Term{left, {}} : term);
  }
  SizeExpression remainder = ofTerms(rest, true), quotient = ofTerms(whole, true);
  if (auto number = remainder.number())
    return quotient + *floorDivide(*number, *divisor);
  return quotient + ofAtom(SizeCode::FloorDivide, remainder, b);
}

SizeExpression SizeExpression::min(const SizeExpression &a, const SizeExpression &b) {
  if (auto difference = (a - b).number())
    return *difference <= 0 ? a : b;
  return a < b ? ofAtom(SizeCode::Min, a, b) : ofAtom(SizeCode::Min, b, a);
}

SizeExpression SizeExpression::max(const SizeExpression &a, const SizeExpression &b) {
  if (auto difference = (a - b).number())
    return *difference <= 0 ? b : a;
  return a < b ? ofAtom(SizeCode::Max, a, b) : ofAtom(SizeCode::Max, b, a);
}

SizeExpression SizeExpression::less(const SizeExpression &a, const SizeExpression &b) {
  if (auto difference = (a - b).number())
    return *difference < 0;
  return ofAtom(SizeCode::Less, a, b);
}

SizeExpression SizeExpression::equal(const SizeExpression &a, const SizeExpression &b) {
  if (auto difference = (a - b).number())
    return *difference == 0;
  return a < b ? ofAtom(SizeCode::Equal, a, b) : ofAtom(SizeCode::Equal, b, a);
}

void SizeExpression::forEachLeaf(llvm::function_ref<void(SizeCode, unsigned)> see) const {
  for (const Term &term : content->terms)
    for (const AtomRef &atom : term.factors) {
      if (isLeaf(atom->kind)) {
        see(atom->kind, atom->number);
        continue;
      }
      atom->a.forEachLeaf(see);
      atom->b.forEachLeaf(see);
    }
}

SmallVector<unsigned> SizeExpression::numbersOf(SizeCode leaf) const {
  SmallVector<unsigned> found;
  forEachLeaf([&](SizeCode kind, unsigned number) {
    if (kind == leaf)
      found.push_back(number);
  });
  llvm::sort(found);
  found.erase(llvm::unique(found), found.end());
  return found;
}

SmallVector<unsigned> SizeExpression::sizes() const { return numbersOf(SizeCode::Size); }
SmallVector<unsigned> SizeExpression::places() const { return numbersOf(SizeCode::Place); }
bool SizeExpression::hasPlaces() const { return !places().empty(); }

SizeExpression SizeExpression::apply(SizeCode kind, const SizeExpression &a, const SizeExpression &b) {
  switch (kind) {
  case SizeCode::Add:
    return a + b;
  case SizeCode::Multiply:
    return a * b;
  case SizeCode::FloorDivide:
    return floorDiv(a, b);
  case SizeCode::Min:
    return min(a, b);
  case SizeCode::Max:
    return max(a, b);
  case SizeCode::Less:
    return less(a, b);
  default:
    return equal(a, b);
  }
}

SizeExpression SizeExpression::replace(llvm::function_ref<SizeExpression(SizeCode, unsigned)> by) const {
  SizeExpression sum = 0;
  for (const Term &term : content->terms) {
    SizeExpression product = term.coefficient;
    for (const AtomRef &atom : term.factors) {
      product = product * (isLeaf(atom->kind) ? by(atom->kind, atom->number)
                                              : apply(atom->kind, atom->a.replace(by), atom->b.replace(by)));
    }
    sum = sum + product;
  }
  return content->isValid ? sum : *this;
}

SizeExpression SizeExpression::withPlaces(ArrayRef<SizeExpression> places) const {
  return replace([&](SizeCode kind, unsigned number) { return kind == SizeCode::Place ? places[number] : size(number); });
}

SizeExpression SizeExpression::withSizes(ArrayRef<SizeExpression> sizes) const {
  return replace([&](SizeCode kind, unsigned number) { return kind == SizeCode::Size ? sizes[number] : place(number); });
}

SizeExpression::Factors SizeExpression::factors() const {
  Factors found;
  if (content->terms.empty() || !content->isValid) {
    found.number = content->isValid ? 0 : 1;
    found.sum = content->isValid ? std::optional<SizeExpression>() : *this;
    return found;
  }
  SmallVector<AtomRef, 2> common = content->terms[0].factors;
  uint64_t divisor = 0;
  for (const Term &term : content->terms) {
    divisor = std::gcd(divisor, uint64_t(term.coefficient < 0 ? -term.coefficient : term.coefficient));
    SmallVector<AtomRef, 2> left = term.factors, both;
    for (const AtomRef &atom : common) {
      auto *same = llvm::find_if(left, [&](const AtomRef &other) { return other->key == atom->key; });
      if (same == left.end())
        continue;
      both.push_back(atom);
      left.erase(same);
    }
    common = both;
  }
  found.number = int64_t(divisor);
  for (const AtomRef &atom : common)
    found.atoms.push_back(ofTerms({{1, {atom}}}, true));
  SmallVector<Term> rest;
  for (Term term : content->terms) {
    term.coefficient /= found.number;
    for (const AtomRef &atom : common)
      term.factors.erase(llvm::find_if(term.factors, [&](const AtomRef &other) { return other->key == atom->key; }));
    rest.push_back(std::move(term));
  }
  SizeExpression sum = ofTerms(std::move(rest), true);
  // The divisor is positive; if all that remains is -1, the sign becomes a part of the constant factor.
  if (sum == SizeExpression(-1))
    found.number = -found.number;
  else if (sum != SizeExpression(1))
    found.sum = sum;
  return found;
}

std::optional<SizeExpression::Function> SizeExpression::asFunction() const {
  const auto &terms = content->terms;
  if (!content->isValid || terms.size() != 1 || terms[0].coefficient != 1 || terms[0].factors.size() != 1)
    return std::nullopt;
  const Atom &atom = *terms[0].factors[0];
  if (isLeaf(atom.kind))
    return std::nullopt;
  return Function{atom.kind, atom.a, atom.b};
}

std::optional<int64_t> SizeExpression::evaluate(
    llvm::function_ref<std::optional<int64_t>(const SizeExpression &)> valueOf) const {
  int64_t sum = 0;
  for (const Term &term : content->terms) {
    int64_t product = term.coefficient;
    for (const AtomRef &atom : term.factors) {
      std::optional<int64_t> value = valueOf(ofTerms({{1, {atom}}}, true));
      if (!value || llvm::MulOverflow(product, *value, product))
        return std::nullopt;
    }
    if (llvm::AddOverflow(sum, product, sum))
      return std::nullopt;
  }
  return content->isValid ? std::optional(sum) : std::nullopt;
}

std::optional<SizeExpression> SizeExpression::divideExactly(const SizeExpression &a, const SizeExpression &b) {
  Factors top = a.factors(), bottom = b.factors();
  if (bottom.number == 0 || top.number % bottom.number != 0)
    return std::nullopt;
  if (bottom.sum && bottom.sum != top.sum)
    return std::nullopt;
  SizeExpression quotient = top.number / bottom.number;
  for (const SizeExpression &atom : bottom.atoms) {
    auto *same = llvm::find(top.atoms, atom);
    if (same == top.atoms.end())
      return std::nullopt;
    top.atoms.erase(same);
  }
  for (const SizeExpression &atom : top.atoms)
    quotient = quotient * atom;
  return top.sum && !bottom.sum ? quotient * *top.sum : quotient;
}

/// Returns the terms in the usual order, with the constant at the end: "s + t + 1". In `content->terms` the constant is
/// the first term because its key is empty.
SmallVector<SizeExpression::Term> SizeExpression::numberLast() const {
  SmallVector<Term> terms = content->terms;
  if (!terms.empty() && terms.front().factors.empty())
    std::rotate(terms.begin(), terms.begin() + 1, terms.end());
  return terms;
}
