//===- PlaceholderRules.h - requirements for placeholders -------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_PLACEHOLDERRULES_H
#define HEDDLE_IMPORT_SIZES_PLACEHOLDERRULES_H

#include "ChoosePlaceholders.h"

namespace heddle {

/// The requirements for placeholders of sizes and of functions of sizes, so that the factors of a number in a type tell
/// which sizes it is a product of. `values` are the placeholders of the sizes, followed by those of functions().
class PlaceholderRules {
public:
  PlaceholderRules(const std::vector<ScopedSize> &sizes, llvm::ArrayRef<DerivedDim> derived,
                   llvm::ArrayRef<SizeExpression> required, llvm::ArrayRef<int64_t> fixed, bool isUnchecked);
  /// Sets the first set of placeholders, with which the following ones are compared; null while the first set itself is
  /// searched.
  void setFirst(const Placeholders *firstChoice) { first = firstChoice; }
  const Placeholders *firstChoice() const { return first; }

  /// The expressions with placeholders of their own: quotients, minima and similar functions; products with a
  /// comparison; and independent expressions (isIndependent). A product such as where(c, s, 0) needs its own
  /// placeholder, since it is at most s but is not s times a placeholder of c.
  llvm::ArrayRef<SizeExpression> functions() const { return others; }
  /// Whether the size or derived size with this number depends on a hidden size. Compiled code does not contain such a
  /// size, so that its placeholders need not differ between the sets.
  bool isHidden(size_t number) const { return hidden[number]; }
  /// Whether `number` can be the placeholder of the size with the number `size`.
  bool isCandidate(size_t size, int64_t number) const;
  /// Whether no required expression is negative at `values`.
  bool holds(llvm::ArrayRef<int64_t> values) const;
  /// Whether no required expression is negative at `values` if its constant term is left out. Then multiples of
  /// `values` can be added to placeholders without making a required expression negative.
  bool holdsFarOut(llvm::ArrayRef<int64_t> values) const;
  /// Checks the required expressions whose last size is `size`. Returns nothing if none of them is negative. Otherwise
  /// returns the smallest n such that a negative one contains, besides `size`, only some of the first n sizes. Values
  /// of later sizes are not read.
  std::optional<unsigned> failsUpTo(size_t size, llvm::ArrayRef<int64_t> values) const;
  /// Checks the required expressions that contain only the size with the number `size`.
  bool holdsAlone(size_t size, int64_t value) const;
  /// Returns the set of placeholders for `values`; nothing unless each placeholder has a prime factor of its own and
  /// those of derived sizes are at least `minimum`. A derived size of a set after the first must not be a multiple of
  /// 2, 3, 4, 5, 7 or 8 (of 4 only, unless `strictly`) if it also is one in the first set. If `strictly`, a derived
  /// size of the first set must not be a multiple of 3, 4, 5 or 7. Derived sizes that are such multiples at all sizes
  /// are allowed.
  std::optional<Placeholders> accept(llvm::ArrayRef<int64_t> values, int64_t minimum, bool strictly);

private:
  /// A polynomial of `values`: the sum of a constant and of terms, each the product of a number and some of the values.
  struct Polynomial {
    llvm::SmallVector<std::pair<int64_t, llvm::SmallVector<unsigned>>> terms;
    int64_t constant = 0;
    unsigned first = 0, last = 0; // the smallest and the largest index of its values
    unsigned before = 0;          // the second-largest index of its values plus 1; 0 if it has one value

    int64_t at(llvm::ArrayRef<int64_t> values) const;
  };
  /// Compiles an expression to a polynomial. If `isAlone`, the whole expression is a function with a value of its own.
  Polynomial compile(const SizeExpression &expression, bool isAlone);
  bool isMultiple(size_t dim, int64_t divisor);
  bool areNoMultiples(llvm::ArrayRef<int64_t> derived, bool strictly);
  bool areOthers(llvm::ArrayRef<int64_t> numbers, llvm::ArrayRef<int64_t> firstNumbers) const;

  const std::vector<ScopedSize> &sizes;
  llvm::ArrayRef<int64_t> fixed;
  const Placeholders *first = nullptr;
  std::vector<SizeExpression> others;
  std::vector<Polynomial> dims, notNegative;
  std::vector<SizeExpression> expressions; // the expressions of the sizes and derived sizes
  std::vector<bool> hidden;                // for each of `expressions`, whether it depends on a hidden size
  // A cache of whether an element of `dims` is a multiple of a divisor at all sizes.
  std::map<std::pair<size_t, int64_t>, bool> multiples;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_PLACEHOLDERRULES_H
