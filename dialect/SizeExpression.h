//===- SizeExpression.h - integers that are computed from sizes -*- C++ -*-===//
//
// Half of a length, the keys of a past and the new ones, how much is missing to a
// multiple of 64: what a model computes of sizes that lie in ranges is kept as an
// expression of these, not as a number that some choice of sizes has. A polynomial of
// sizes and of what is no polynomial of them (quotients, minima, comparisons) says when
// two expressions are the same, whatever the sizes.
//
// In a table an element's expression has its place in the tensor as well: 0 <= place i <
// extent i.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_SIZEEXPRESSION_H
#define HEDDLE_DIALECT_SIZEEXPRESSION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <memory>
#include <optional>
#include <string>

namespace heddle {

/// What a word of an expression's code does with a stack of integers (SizeExpression::code). The numbers are those of
/// `enum heddle_size_code` in <heddle/model.h>, but for places, which no library sees.
enum class SizeCode : int64_t { Number, Size, Add, Multiply, FloorDivide, Min, Max, Less, Equal, Place };

/// Whether it is an integer of its own, and no function of two.
constexpr bool isLeaf(SizeCode kind) {
  return kind == SizeCode::Number || kind == SizeCode::Size || kind == SizeCode::Place;
}

/// a / b, rounded down; none where there is no quotient.
std::optional<int64_t> floorDivide(int64_t a, int64_t b);

/// An integer that is computed from sizes; a value. Integers have 64 bits; what does not fit, a division by zero, and what
/// has more terms than anybody needs, has no value.
class SizeExpression {
public:
  SizeExpression(int64_t number = 0);
  /// The size of this number among those of a model.
  static SizeExpression size(unsigned number);
  /// The place of an element along this dimension of its table.
  static SizeExpression place(unsigned dim);

  friend SizeExpression operator+(const SizeExpression &a, const SizeExpression &b);
  friend SizeExpression operator*(const SizeExpression &a, const SizeExpression &b);
  friend SizeExpression operator-(const SizeExpression &a, const SizeExpression &b) { return a + b * SizeExpression(-1); }
  SizeExpression operator-() const { return *this * SizeExpression(-1); }
  /// Rounded down.
  static SizeExpression floorDiv(const SizeExpression &a, const SizeExpression &b);
  /// a - b * floorDiv(a, b): the sign of b.
  static SizeExpression mod(const SizeExpression &a, const SizeExpression &b) { return a - b * floorDiv(a, b); }
  static SizeExpression min(const SizeExpression &a, const SizeExpression &b);
  static SizeExpression max(const SizeExpression &a, const SizeExpression &b);
  /// 1 where a < b, or a == b, else 0.
  static SizeExpression less(const SizeExpression &a, const SizeExpression &b);
  static SizeExpression equal(const SizeExpression &a, const SizeExpression &b);
  /// The sum, product or function of this code, which is no leaf.
  static SizeExpression apply(SizeCode kind, const SizeExpression &a, const SizeExpression &b);
  /// `a` where `condition` is 1, `b` where it is 0.
  static SizeExpression select(const SizeExpression &condition, const SizeExpression &a, const SizeExpression &b) {
    return b + condition * (a - b);
  }

  /// The number, where it is one.
  std::optional<int64_t> number() const;
  bool isNumber() const { return number().has_value(); }
  /// The size, where it is just one.
  std::optional<unsigned> asSize() const;
  /// Whether the place of an element has any part in it.
  bool hasPlaces() const;
  /// The numbers of the sizes that it has, sorted; likewise places.
  llvm::SmallVector<unsigned> sizes() const;
  llvm::SmallVector<unsigned> places() const;

  /// Whether both are the same polynomial. Others may be equal at all sizes as well: SizeDomain decides that.
  friend bool operator==(const SizeExpression &a, const SizeExpression &b) { return a.key() == b.key(); }
  friend bool operator!=(const SizeExpression &a, const SizeExpression &b) { return !(a == b); }
  friend bool operator<(const SizeExpression &a, const SizeExpression &b) { return a.key() < b.key(); }

  /// With expressions in the place of places, or of sizes.
  SizeExpression withPlaces(llvm::ArrayRef<SizeExpression> places) const;
  SizeExpression withSizes(llvm::ArrayRef<SizeExpression> sizes) const;

  struct Factors;
  Factors factors() const;

  /// A function of two expressions, where it is just one that is no sum or product.
  struct Function;
  std::optional<Function> asFunction() const;
  /// Its value by what sizes, places and functions are; none where one has none or it does not fit.
  std::optional<int64_t> evaluate(llvm::function_ref<std::optional<int64_t>(const SizeExpression &)> valueOf) const;
  /// a / b where b is a factor of a; none where it is not seen.
  static std::optional<SizeExpression> divideExactly(const SizeExpression &a, const SizeExpression &b);

  /// Pairs of a SizeCode and a number (of Number, Size and Place; else 0), for a stack of integers.
  llvm::SmallVector<int64_t> code() const;
  /// None where the words are no code, or would make more terms than anybody needs.
  static std::optional<SizeExpression> fromCode(llvm::ArrayRef<int64_t> code);
  /// How many integers the stack has at most. What is derived, and so is described in libraries, has no more than
  /// `mostStacked`.
  unsigned stacked() const;
  static constexpr unsigned mostStacked = 32;
  static constexpr size_t mostTerms = 1 << 10;
  /// "s floordiv 2 + 1", with these names for sizes; places are d0, d1, ..
  std::string text(llvm::ArrayRef<llvm::StringRef> names) const;

private:
  struct Atom;
  using AtomRef = std::shared_ptr<const Atom>;
  struct Term {
    int64_t coefficient;
    llvm::SmallVector<AtomRef, 2> factors; // sorted by key
  };

  static SizeExpression ofAtom(SizeCode kind, unsigned number);
  static SizeExpression ofAtom(SizeCode kind, const SizeExpression &a, const SizeExpression &b);
  static SizeExpression ofTerms(llvm::SmallVector<Term> terms, bool isValid);
  static std::string keyOf(const Term &term);
  const std::string &key() const { return content->key; }
  llvm::SmallVector<Term> numberLast() const;
  void append(llvm::SmallVectorImpl<int64_t> &code) const;
  static void append(const Atom &atom, llvm::SmallVectorImpl<int64_t> &code);
  static std::string text(const Atom &atom, llvm::ArrayRef<llvm::StringRef> names);
  void forEachLeaf(llvm::function_ref<void(SizeCode, unsigned)> see) const;
  llvm::SmallVector<unsigned> numbersOf(SizeCode leaf) const;
  SizeExpression replace(llvm::function_ref<SizeExpression(SizeCode, unsigned)> by) const;

  struct Content {
    llvm::SmallVector<Term> terms; // sorted by key, no coefficient 0
    bool isValid = true;           // false where a coefficient does not fit
    std::string key;
  };
  std::shared_ptr<const Content> content;
};

/// What is no sum or product: a size, a place, or a function of two expressions.
struct SizeExpression::Atom {
  SizeCode kind;
  unsigned number = 0;
  SizeExpression a = 0, b = 0;
  std::string key;
};

/// A product, the whole of an expression: a number, sizes and quotients (and the like) that are factors of all its terms,
/// and what is left of these, if that is a sum of several.
struct SizeExpression::Factors {
  int64_t number = 1;
  llvm::SmallVector<SizeExpression> atoms;
  std::optional<SizeExpression> sum;
};

struct SizeExpression::Function {
  SizeCode kind;
  SizeExpression a, b;
};

/// Computes an expression for many sizes and places.
class SizeEvaluator {
public:
  explicit SizeEvaluator(const SizeExpression &expression) : code(expression.code()) {}
  /// Of what SizeExpression::code said.
  explicit SizeEvaluator(llvm::ArrayRef<int64_t> code) : code(code) {}
  /// None where it has no value.
  std::optional<int64_t> at(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> places = {}) const;

private:
  llvm::SmallVector<int64_t> code;
};

} // namespace heddle

#endif // HEDDLE_DIALECT_SIZEEXPRESSION_H
