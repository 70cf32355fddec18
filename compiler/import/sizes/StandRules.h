//===- StandRules.h - what numbers that stand for sizes must be -*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_STANDRULES_H
#define HEDDLE_IMPORT_SIZES_STANDRULES_H

#include "ChooseStands.h"

namespace heddle {

/// What numbers for sizes, and for functions of them, have to be so that the factors of a number in a type say which
/// sizes it is a product of. `values` are those of the sizes, and behind them those of functions().
class StandRules {
public:
  StandRules(const std::vector<ScopedSize> &sizes, llvm::ArrayRef<DerivedDim> derived,
             llvm::ArrayRef<SizeExpression> required, llvm::ArrayRef<int64_t> fixed, bool isLoose);
  /// Numbers are looked for that are held against `firstChoice`; null where they are these themselves.
  void setFirst(const Stands *firstChoice) { first = firstChoice; }
  const Stands *firstChoice() const { return first; }

  /// What needs a number of its own: quotients, minima and the like; each product that has a comparison, for the number
  /// of where(c, s, 0) is at most that of s, but no multiple of another one for c; and what stands alone.
  llvm::ArrayRef<SizeExpression> functions() const { return others; }
  /// Whether what is compiled has no size or derived number of this number, since a hidden size is part of it: then
  /// code for other numbers cannot show it.
  bool isHidden(size_t number) const { return hidden[number]; }
  /// Whether a number can stand for the size of this number.
  bool isCandidate(size_t size, int64_t number) const;
  /// Whether what is required is not negative.
  bool holds(llvm::ArrayRef<int64_t> values) const;
  /// Whether that holds with all numbers scaled up as well: the part without the constant term is not negative.
  bool holdsFarOut(llvm::ArrayRef<int64_t> values) const;
  /// Of required expressions that have this size and earlier ones alone, those that do not hold: the least number of
  /// sizes, from the first on, that one of them has beside this one. None where all hold; the values of later sizes are
  /// not read.
  std::optional<unsigned> failsUpTo(size_t size, llvm::ArrayRef<int64_t> values) const;
  /// Likewise those that have this size alone.
  bool holdsAlone(size_t size, int64_t value) const;
  /// The numbers, where each that stands for something has a prime factor of its own, and what is derived is not less than
  /// `least`, nor, unless it is that at all sizes, a multiple of the same small number as in the first choice; of 4 alone
  /// where this is not meant `strictly`. A first choice is strictly no multiple of 3, 4, 5 and 7.
  std::optional<Stands> accept(llvm::ArrayRef<int64_t> values, int64_t least, bool strictly);

private:
  /// Terms of a number and values.
  struct Polynomial {
    llvm::SmallVector<std::pair<int64_t, llvm::SmallVector<unsigned>>> terms;
    int64_t constant = 0;
    unsigned first = 0, last = 0; // of its values
    unsigned before = 0;          // how many values up to the one before the last

    int64_t at(llvm::ArrayRef<int64_t> values) const;
  };
  /// As one function, if it stands alone.
  Polynomial compile(const SizeExpression &expression, bool isAlone);
  bool isMultiple(size_t dim, int64_t divisor);
  bool areNoMultiples(llvm::ArrayRef<int64_t> derived, bool strictly);
  bool areOthers(llvm::ArrayRef<int64_t> numbers, llvm::ArrayRef<int64_t> firstNumbers) const;

  const std::vector<ScopedSize> &sizes;
  llvm::ArrayRef<int64_t> fixed;
  const Stands *first = nullptr;
  std::vector<SizeExpression> others;
  std::vector<Polynomial> dims, notNegative;
  std::vector<SizeExpression> expressions; // of sizes and `dims`
  std::vector<bool> hidden;                // of these
  std::map<std::pair<size_t, int64_t>, bool> multiples; // whether one of `dims` is one at all sizes, as far as that is known
};

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_STANDRULES_H
