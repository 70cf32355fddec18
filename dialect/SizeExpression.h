//===- SizeExpression.h - integers computed from sizes ----------*- C++ -*-===//
//
// A value that a model computes from sizes in ranges (half of a length, the number of keys of the past and of the call,
// the padding to a multiple of 64) is represented by an expression of these sizes, not by its value at chosen sizes. An
// expression is a polynomial; its variables are sizes and functions that are not polynomials (quotients, minima,
// comparisons). Two expressions with the same polynomial have equal values at all sizes.
//
// A single expression may describe all elements of a tensor. It then also contains the element's place, its index along
// each dimension: 0 <= place i < extent of dimension i.
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

/// The instructions of an expression's code, for a stack machine on integers (SizeExpression::code). The numbers equal
/// those of `enum heddle_size_code` in <heddle/model.h>; `Place` is missing there because libraries never contain it.
enum class SizeCode : int64_t { Number, Size, Add, Multiply, FloorDivide, Min, Max, Less, Equal, Place };

/// Whether the instruction pushes a value. All other instructions combine two values.
constexpr bool isLeaf(SizeCode kind) {
  return kind == SizeCode::Number || kind == SizeCode::Size || kind == SizeCode::Place;
}

/// Returns a / b rounded down; nullopt for a division by zero or an overflow.
std::optional<int64_t> floorDivide(int64_t a, int64_t b);

/// An immutable integer expression of sizes, with 64-bit values. It is invalid if a coefficient overflows or it would
/// have more than `maxTerms` terms. It has no value at sizes at which it is invalid, overflows or divides by zero.
class SizeExpression {
public:
  SizeExpression(int64_t number = 0);
  /// The size with the index `number` in the model's list of sizes.
  static SizeExpression size(unsigned number);
  /// The place of an element along this dimension of its table.
  static SizeExpression place(unsigned dim);

  friend SizeExpression operator+(const SizeExpression &a, const SizeExpression &b);
  friend SizeExpression operator*(const SizeExpression &a, const SizeExpression &b);
  friend SizeExpression operator-(const SizeExpression &a, const SizeExpression &b) { return a + b * SizeExpression(-1); }
  SizeExpression operator-() const { return *this * SizeExpression(-1); }
  /// a / b, rounded down.
  static SizeExpression floorDiv(const SizeExpression &a, const SizeExpression &b);
  /// a - b * floorDiv(a, b), which has the sign of b.
  static SizeExpression mod(const SizeExpression &a, const SizeExpression &b) { return a - b * floorDiv(a, b); }
  static SizeExpression min(const SizeExpression &a, const SizeExpression &b);
  static SizeExpression max(const SizeExpression &a, const SizeExpression &b);
  /// less() is 1 where a < b, equal() is 1 where a == b; otherwise they are 0.
  static SizeExpression less(const SizeExpression &a, const SizeExpression &b);
  static SizeExpression equal(const SizeExpression &a, const SizeExpression &b);
  /// Combines `a` and `b` by this instruction, which is not a leaf.
  static SizeExpression apply(SizeCode kind, const SizeExpression &a, const SizeExpression &b);
  /// `a` where `condition` is 1, `b` where it is 0.
  static SizeExpression select(const SizeExpression &condition, const SizeExpression &a, const SizeExpression &b) {
    return b + condition * (a - b);
  }

  /// The value of a constant expression; nullopt for other expressions.
  std::optional<int64_t> number() const;
  bool isNumber() const { return number().has_value(); }
  /// The number of the size if the expression is just a size; nullopt otherwise.
  std::optional<unsigned> asSize() const;
  /// Whether the expression depends on an element's place.
  bool hasPlaces() const;
  /// The numbers of the sizes, or the dimensions of the places, in the expression, sorted.
  llvm::SmallVector<unsigned> sizes() const;
  llvm::SmallVector<unsigned> places() const;

  /// Whether `a` and `b` are the same polynomial. Different polynomials may have equal values at all sizes, too;
  /// SizeDomain::isZero(a - b) decides whether they have.
  friend bool operator==(const SizeExpression &a, const SizeExpression &b) { return a.key() == b.key(); }
  friend bool operator!=(const SizeExpression &a, const SizeExpression &b) { return !(a == b); }
  friend bool operator<(const SizeExpression &a, const SizeExpression &b) { return a.key() < b.key(); }

  /// Replaces place i by places[i], or size i by sizes[i].
  SizeExpression withPlaces(llvm::ArrayRef<SizeExpression> places) const;
  SizeExpression withSizes(llvm::ArrayRef<SizeExpression> sizes) const;

  struct Factors;
  Factors factors() const;

  /// The function and its arguments if the expression is a single function (a quotient, minimum, maximum or
  /// comparison).
  struct Function;
  std::optional<Function> asFunction() const;
  /// Evaluates the polynomial, given a function that returns the value of each size, place and function in it; nullopt
  /// if one of them has no value or the result overflows.
  std::optional<int64_t> evaluate(llvm::function_ref<std::optional<int64_t>(const SizeExpression &)> valueOf) const;
  /// Returns a / b if the factors of b are among the factors of a; nullopt otherwise, even if the division is exact at
  /// all sizes.
  static std::optional<SizeExpression> divideExactly(const SizeExpression &a, const SizeExpression &b);

  /// The code for a stack machine: pairs of a SizeCode and its number (the value of Number, the index of Size or Place;
  /// 0 for others).
  llvm::SmallVector<int64_t> code() const;
  /// Returns nullopt if the code is invalid or its expression would have more than `maxTerms` terms.
  static std::optional<SizeExpression> fromCode(llvm::ArrayRef<int64_t> code);
  /// The maximum depth of the stack when the code runs. It is at most `maxStacked` for derived sizes, since libraries
  /// evaluate their code.
  unsigned stacked() const;
  static constexpr unsigned maxStacked = 32;
  static constexpr size_t maxTerms = 1 << 10;
  /// The expression as text, such as "s floordiv 2 + 1". `names` are the names of the sizes; places are named d0, d1,
  /// ...
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
    bool isValid = true;           // false if a coefficient overflowed or there were too many terms
    std::string key;
  };
  std::shared_ptr<const Content> content;
};

/// A variable of the polynomial: a size, a place, or a function of two expressions.
struct SizeExpression::Atom {
  SizeCode kind;
  unsigned number = 0;
  SizeExpression a = 0, b = 0;
  std::string key;
};

/// The expression as a product: the common constant factor of all terms, the variables (atoms) that all terms contain,
/// and the remaining sum if it has several terms.
struct SizeExpression::Factors {
  int64_t number = 1;
  llvm::SmallVector<SizeExpression> atoms;
  std::optional<SizeExpression> sum;
};

/// A quotient, minimum, maximum or comparison of `a` and `b`.
struct SizeExpression::Function {
  SizeCode kind;
  SizeExpression a, b;
};

/// Evaluates an expression at many sizes and places.
class SizeEvaluator {
public:
  explicit SizeEvaluator(const SizeExpression &expression) : code(expression.code()) {}
  /// Takes the code of an expression (SizeExpression::code).
  explicit SizeEvaluator(llvm::ArrayRef<int64_t> code) : code(code) {}
  /// Returns the value, or nullopt if there is none.
  std::optional<int64_t> at(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> places = {}) const;

private:
  llvm::SmallVector<int64_t> code;
};

} // namespace heddle

#endif // HEDDLE_DIALECT_SIZEEXPRESSION_H
