//===- PlaceholderRules.h - requirements for placeholders -------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_PLACEHOLDERRULES_H
#define HEDDLE_IMPORT_SIZES_PLACEHOLDERRULES_H

#include "ChoosePlaceholders.h"

namespace heddle {

/// The requirements for placeholders of sizes and of functions of sizes. They ensure that the prime factors of a number
/// in a type show of which sizes it is a product. The parameters `values` contain the placeholders of the sizes,
/// followed by the placeholders of functions().
class PlaceholderRules {
public:
  /// The parameters are those of choosePlaceholders (ChoosePlaceholders.h).
  PlaceholderRules(const std::vector<ScopedSize> &sizes, llvm::ArrayRef<DerivedDim> derived,
                   llvm::ArrayRef<SizeExpression> required, llvm::ArrayRef<int64_t> fixed, bool isUnchecked);
  /// Stores a pointer to the first set of placeholders, with which later sets are compared. The pointer is null while
  /// the first set itself is searched.
  void setFirst(const Placeholders *firstChoice) { first = firstChoice; }
  const Placeholders *firstChoice() const { return first; }

  /// The expressions that have their own placeholders: quotients, minima and similar functions; products c * s with a
  /// comparison c; and expressions such as 8 - s, whose values are negative at large placeholders (isIndependent). If
  /// `isUnchecked`, they also include all derived sizes, except those that must be sums (DerivedDim::adds). A
  /// comparison c is 0 or 1, so c * s is at most s. A product of placeholders of c and s would be larger.
  llvm::ArrayRef<SizeExpression> functions() const { return others; }
  /// Whether the size or derived size with the index `number` depends on a size that exists only during the import
  /// (HiddenSize.h). Compiled code does not contain such a size, so its placeholders may be equal in all sets.
  bool isHidden(size_t number) const { return hidden[number]; }
  /// Whether `number` can be the placeholder of the size with the index `size`.
  bool isCandidate(size_t size, int64_t number) const;
  /// Whether all required expressions are nonnegative at `values`.
  bool holds(llvm::ArrayRef<int64_t> values) const;
  /// Whether all required expressions without their constant terms are nonnegative at `values`. Multiples of `values`
  /// can then be added to placeholders without making a required expression negative.
  bool holdsFarOut(llvm::ArrayRef<int64_t> values) const;
  /// Checks the required expressions that contain `size` and no later size. Returns nothing if all of them are
  /// nonnegative. Otherwise returns the smallest n for which the value of `size` is impossible as long as the first n
  /// sizes have their present values. A search must change one of these sizes. The values of later sizes are not read.
  std::optional<unsigned> failsUpTo(size_t size, llvm::ArrayRef<int64_t> values) const;
  /// Whether the required expressions that contain only the size with the index `size` are nonnegative if its
  /// placeholder is `value`.
  bool holdsAlone(size_t size, int64_t value) const;
  /// Returns the set of placeholders for `values`. Returns nothing unless each placeholder has a prime factor of its
  /// own, the placeholders of derived sizes are at least `minimum` and minPlaceholder (and at most 2^22 if there are
  /// functions()), and a later set differs from the first set (areOthers). Lowerings depend on whether an extent is a
  /// multiple of a small number. So the placeholder of a derived size must not be a multiple of certain divisors,
  /// unless the derived size is such a multiple at all sizes. In the first set, the divisors are 3, 4, 5, 7 and 8 if
  /// `strictly`, otherwise none. In a later set, the divisors are 2, 3, 4, 5, 7 and 8 if `strictly`, and only 4
  /// otherwise; a divisor that does not divide the placeholder in the first set is allowed.
  std::optional<Placeholders> accept(llvm::ArrayRef<int64_t> values, int64_t minimum, bool strictly);

private:
  /// A polynomial of `values`: the sum of a constant and of terms, each the product of a number and some of the values.
  struct Polynomial {
    llvm::SmallVector<std::pair<int64_t, llvm::SmallVector<unsigned>>> terms;
    int64_t constant = 0;
    unsigned first = 0, last = 0; // the smallest and the largest index of its values
    unsigned before = 0;          // the second-largest index of its values plus 1; 0 if there is only one value

    int64_t at(llvm::ArrayRef<int64_t> values) const;
  };
  /// Compiles an expression to a polynomial, and adds the functions that it contains to functions(). If `asFunction`,
  /// adds the whole expression as one function instead.
  Polynomial compile(const SizeExpression &expression, bool asFunction);
  bool isMultiple(size_t dim, int64_t divisor);
  bool areNoMultiples(llvm::ArrayRef<int64_t> derived, bool strictly);
  /// Whether the placeholders of a set differ from those of the first set: each placeholder, and each difference of two
  /// placeholders. Differences that are the same at all sizes, and sizes that exist only during the import, are exempt.
  /// `numbers` and `firstNumbers` contain the placeholders of sizes, followed by those of derived sizes.
  bool areOthers(llvm::ArrayRef<int64_t> numbers, llvm::ArrayRef<int64_t> firstNumbers) const;

  const std::vector<ScopedSize> &sizes;
  llvm::ArrayRef<int64_t> fixed; // extents that do not depend on sizes
  const Placeholders *first = nullptr;
  std::vector<SizeExpression> others;        // the functions that functions() returns
  std::vector<Polynomial> dims, notNegative; // the derived sizes, and the required expressions
  std::vector<SizeExpression> expressions; // the expressions of the sizes and derived sizes
  std::vector<bool> hidden;                // for each of `expressions`: isHidden()
  // A cache of whether an element of `dims` is a multiple of a divisor at all sizes.
  std::map<std::pair<size_t, int64_t>, bool> multiples;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_PLACEHOLDERRULES_H
