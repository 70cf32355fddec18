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

  /// The expressions with placeholders of their own: quotients, minima and similar functions; each product with a
  /// comparison, since the value of where(c, s, 0) is at most s but no multiple of a value for c; and independent
  /// expressions.
  llvm::ArrayRef<SizeExpression> functions() const { return others; }
  /// Whether the size or derived size with this number depends on a hidden size and is therefore absent from compiled
  /// code. Code for other placeholders cannot show it.
  bool isHidden(size_t number) const { return hidden[number]; }
  /// Whether `number` can be the placeholder of this size.
  bool isCandidate(size_t size, int64_t number) const;
  /// Whether all required expressions are not negative.
  bool holds(llvm::ArrayRef<int64_t> values) const;
  /// Whether they are not negative either if all numbers are scaled up: the part without the constant term is not
  /// negative.
  bool holdsFarOut(llvm::ArrayRef<int64_t> values) const;
  /// Checks required expressions that contain only this size and earlier ones. If some are negative, returns the
  /// smallest number n so that one of them has, besides this size, only the first n sizes. Returns nothing if none is
  /// negative. Values of later sizes are not read.
  std::optional<unsigned> failsUpTo(size_t size, llvm::ArrayRef<int64_t> values) const;
  /// Checks required expressions that contain only this size.
  bool holdsAlone(size_t size, int64_t value) const;
  /// Returns the set of placeholders if each has a prime factor of its own and derived ones are at least `minimum`. In
  /// sets after the first, a derived placeholder must not be a multiple of the same small number as in the first set
  /// unless it is one at all sizes; if not `strictly`, only of 4. If `strictly`, derived placeholders of a first set
  /// must not be multiples of 3, 4, 5 and 7.
  std::optional<Placeholders> accept(llvm::ArrayRef<int64_t> values, int64_t minimum, bool strictly);

private:
  /// A sum of products of a number and values.
  struct Polynomial {
    llvm::SmallVector<std::pair<int64_t, llvm::SmallVector<unsigned>>> terms;
    int64_t constant = 0;
    unsigned first = 0, last = 0; // the first and the last of its values
    unsigned before = 0;          // the number of values up to the second-largest one

    int64_t at(llvm::ArrayRef<int64_t> values) const;
  };
  /// Compiles an expression; an independent one becomes a single value.
  Polynomial compile(const SizeExpression &expression, bool isAlone);
  bool isMultiple(size_t dim, int64_t divisor);
  bool areNoMultiples(llvm::ArrayRef<int64_t> derived, bool strictly);
  bool areOthers(llvm::ArrayRef<int64_t> numbers, llvm::ArrayRef<int64_t> firstNumbers) const;

  const std::vector<ScopedSize> &sizes;
  llvm::ArrayRef<int64_t> fixed;
  const Placeholders *first = nullptr;
  std::vector<SizeExpression> others;
  std::vector<Polynomial> dims, notNegative;
  std::vector<SizeExpression> expressions; // the expressions of sizes and `dims`
  std::vector<bool> hidden;                // whether each of these depends on a hidden size
  // A cache of whether an element of `dims` is a multiple of a divisor at all sizes.
  std::map<std::pair<size_t, int64_t>, bool> multiples;
};

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_PLACEHOLDERRULES_H
