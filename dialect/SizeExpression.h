//===- SizeExpression.h - integers computed from sizes ----------*- C++ -*-===//
//
// A size in a range is the length of a dimension that each call chooses between two limits. A value that a model
// computes from such sizes (half of a length, the number of past keys plus the number of new keys, the padding to a
// multiple of 64) is represented by an expression of these sizes, not by its value at chosen sizes. An expression is a
// polynomial; its variables are sizes and functions that are not polynomials (quotients, minima, maxima, comparisons).
// Two expressions with the same polynomial have equal values at all sizes.
//
// A single expression may describe all elements of a tensor. The expression then also contains places: place i is the
// index of the element along dimension i of the tensor.
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

/// The instructions of an expression's code, for a stack machine on integers (SizeExpression::code). Number, Size and
/// Place push a value. The others pop b, then a, and push the result; FloorDivide is a / b rounded down, Less and Equal
/// are 1 if the comparison is true and 0 otherwise. The numbers equal those of `enum heddle_size_code` in
/// <heddle/model.h>, which has no `Place` because libraries never contain places.
enum class SizeCode : int64_t { Number, Size, Add, Multiply, FloorDivide, Min, Max, Less, Equal, Place };

/// Whether the instruction pushes a value. All other instructions combine two values.
constexpr bool isLeaf(SizeCode kind) {
  return kind == SizeCode::Number || kind == SizeCode::Size || kind == SizeCode::Place;
}

/// Returns a / b rounded down; nullopt for a division by zero or an overflow.
std::optional<int64_t> floorDivide(int64_t a, int64_t b);

/// An immutable integer expression of sizes, with 64-bit values. An expression is invalid if a coefficient overflows or
/// the polynomial would have more than `maxTerms` terms; an invalid expression has no value. A valid expression has no
/// value at sizes at which its evaluation overflows or divides by zero.
class SizeExpression {
public:
  /// A constant.
  SizeExpression(int64_t number = 0);
  /// The size with the index `number` in the model's list of sizes.
  static SizeExpression size(unsigned number);
  /// The index of an element along this dimension of its tensor.
  static SizeExpression place(unsigned dim);

  friend SizeExpression operator+(const SizeExpression &a, const SizeExpression &b);
  friend SizeExpression operator*(const SizeExpression &a, const SizeExpression &b);
  friend SizeExpression operator-(const SizeExpression &a, const SizeExpression &b) { return a + b * SizeExpression(-1); }
  SizeExpression operator-() const { return *this * SizeExpression(-1); }
  /// a / b, rounded down.
  static SizeExpression floorDiv(const SizeExpression &a, const SizeExpression &b);
  /// a - b * floorDiv(a, b), which is 0 or has the sign of b.
  static SizeExpression mod(const SizeExpression &a, const SizeExpression &b) { return a - b * floorDiv(a, b); }
  static SizeExpression min(const SizeExpression &a, const SizeExpression &b);
  static SizeExpression max(const SizeExpression &a, const SizeExpression &b);
  /// less() is 1 at sizes at which a < b, equal() is 1 at sizes at which a == b. At other sizes they are 0.
  static SizeExpression less(const SizeExpression &a, const SizeExpression &b);
  static SizeExpression equal(const SizeExpression &a, const SizeExpression &b);
  /// The result of the instruction `kind`, which is not a leaf, for the operands `a` and `b`.
  static SizeExpression apply(SizeCode kind, const SizeExpression &a, const SizeExpression &b);
  /// `a` at sizes at which `condition` is 1, `b` at sizes at which `condition` is 0.
  static SizeExpression select(const SizeExpression &condition, const SizeExpression &a, const SizeExpression &b) {
    return b + condition * (a - b);
  }

  /// The value of a constant expression; nullopt for other expressions.
  std::optional<int64_t> number() const;
  bool isNumber() const { return number().has_value(); }
  /// The index of the size if the expression consists of a single size; nullopt otherwise.
  std::optional<unsigned> asSize() const;
  /// Whether the expression depends on an element's place.
  bool hasPlaces() const;
  /// sizes() are the indices of the sizes in the expression, places() the dimensions of the places; both are sorted.
  llvm::SmallVector<unsigned> sizes() const;
  llvm::SmallVector<unsigned> places() const;

  /// Whether `a` and `b` are the same polynomial. Different polynomials may have equal values at all sizes, too;
  /// SizeDomain::isZero(a - b) decides whether they do. operator< is an arbitrary total order, for sorting.
  friend bool operator==(const SizeExpression &a, const SizeExpression &b) { return a.key() == b.key(); }
  friend bool operator!=(const SizeExpression &a, const SizeExpression &b) { return !(a == b); }
  friend bool operator<(const SizeExpression &a, const SizeExpression &b) { return a.key() < b.key(); }

  /// withPlaces replaces each place i by places[i], withSizes replaces each size i by sizes[i].
  SizeExpression withPlaces(llvm::ArrayRef<SizeExpression> places) const;
  SizeExpression withSizes(llvm::ArrayRef<SizeExpression> sizes) const;

  struct Factors;
  /// Returns the expression as a product.
  Factors factors() const;

  struct Function;
  /// Returns the function and its arguments if the expression is a single function (a quotient, minimum, maximum or
  /// comparison); nullopt otherwise.
  std::optional<Function> asFunction() const;
  /// Evaluates the polynomial. `valueOf` returns the value of each variable of the polynomial (a size, place or
  /// function). Returns nullopt if the expression is invalid, a variable has no value, or a product or sum overflows.
  std::optional<int64_t> evaluate(llvm::function_ref<std::optional<int64_t>(const SizeExpression &)> valueOf) const;
  /// Returns a / b if the factors of b are among the factors of a; nullopt otherwise, even if the division is exact at
  /// all sizes.
  static std::optional<SizeExpression> divideExactly(const SizeExpression &a, const SizeExpression &b);

  /// The code for a stack machine: pairs of an instruction (SizeCode) and a number, which is the value of Number, the
  /// index of Size, the dimension of Place, and 0 for other instructions.
  llvm::SmallVector<int64_t> code() const;
  /// Returns nullopt if the code is invalid or its expression would have more than `maxTerms` terms.
  static std::optional<SizeExpression> fromCode(llvm::ArrayRef<int64_t> code);
  /// The maximum number of stack entries when the code runs. Expressions of derived sizes need at most `maxStacked`
  /// entries, because libraries evaluate their code on a stack of fixed size.
  unsigned stacked() const;
  static constexpr unsigned maxStacked = 32;
  static constexpr size_t maxTerms = 1 << 10;
  /// The expression as text, such as "s floordiv 2 + 1". `names` are the names of the sizes; places are named d0, d1,
  /// ...
  std::string text(llvm::ArrayRef<llvm::StringRef> names) const;

private:
  struct Atom;
  using AtomRef = std::shared_ptr<const Atom>;
  /// A term of the polynomial: the product of a coefficient and variables. A squared variable is listed twice.
  struct Term {
    int64_t coefficient;
    llvm::SmallVector<AtomRef, 2> factors; // sorted by key
  };

  /// Returns the expression that consists of one variable: a leaf, or a function of `a` and `b`.
  static SizeExpression ofAtom(SizeCode kind, unsigned number);
  static SizeExpression ofAtom(SizeCode kind, const SizeExpression &a, const SizeExpression &b);
  /// Returns the sum of the terms in canonical form; `isValid` is false if a part of the sum is invalid.
  static SizeExpression ofTerms(llvm::SmallVector<Term> terms, bool isValid);
  /// Returns a text that identifies the factors of a term.
  static std::string keyOf(const Term &term);
  /// The text that identifies the polynomial: equal polynomials have equal keys.
  const std::string &key() const { return content->key; }
  llvm::SmallVector<Term> numberLast() const;
  /// Appends the stack code of the expression, or of a variable, to `code`.
  void append(llvm::SmallVectorImpl<int64_t> &code) const;
  static void append(const Atom &atom, llvm::SmallVectorImpl<int64_t> &code);
  static std::string text(const Atom &atom, llvm::ArrayRef<llvm::StringRef> names);
  /// Calls `see` with the kind and the index of each size and place, also of those in arguments of functions.
  void forEachLeaf(llvm::function_ref<void(SizeCode, unsigned)> see) const;
  /// Returns the indices of the leaves of this kind, sorted and without duplicates.
  llvm::SmallVector<unsigned> numbersOf(SizeCode leaf) const;
  /// Replaces each size and place by the expression that `by` returns for its kind and index.
  SizeExpression replace(llvm::function_ref<SizeExpression(SizeCode, unsigned)> by) const;

  /// The polynomial, which copies of an expression share.
  struct Content {
    llvm::SmallVector<Term> terms; // sorted by key, without coefficients of 0; empty for the constant 0
    bool isValid = true;           // false if a coefficient overflowed or there were too many terms
    std::string key;               // see key()
  };
  std::shared_ptr<const Content> content;
};

/// A variable of the polynomial: a size, a place, or a function of two expressions.
struct SizeExpression::Atom {
  SizeCode kind;
  unsigned number = 0;         // the index of a size, or the dimension of a place
  SizeExpression a = 0, b = 0; // the arguments of a function
  std::string key;             // identifies the variable
};

/// An expression as a product of three parts.
struct SizeExpression::Factors {
  int64_t number = 1;                      // the constant factor that all terms have in common
  llvm::SmallVector<SizeExpression> atoms; // the variables that all terms contain
  std::optional<SizeExpression> sum;       // the remaining factor if it has several terms; nullopt if it is 1
};

/// A quotient, minimum, maximum or comparison of `a` and `b`.
struct SizeExpression::Function {
  SizeCode kind;
  SizeExpression a, b;
};

/// Evaluates an expression at many sizes and places: its code is created once.
class SizeEvaluator {
public:
  explicit SizeEvaluator(const SizeExpression &expression) : code(expression.code()) {}
  /// Evaluates the code of an expression (SizeExpression::code). The code must be valid.
  explicit SizeEvaluator(llvm::ArrayRef<int64_t> code) : code(code) {}
  /// Returns the value at these sizes and places, by their indices; nullopt if the expression has no value there.
  std::optional<int64_t> at(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> places = {}) const;

private:
  llvm::SmallVector<int64_t> code;
};

} // namespace heddle

#endif // HEDDLE_DIALECT_SIZEEXPRESSION_H
