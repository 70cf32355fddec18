//===- ChooseStands.h - numbers that stand for sizes ------------*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_CHOOSESTANDS_H
#define HEDDLE_IMPORT_SIZES_CHOOSESTANDS_H

#include "SizeScope.h"

namespace heddle {

/// What stands for sizes in types, for functions of them that have a number of their own (StandRules::functions), and
/// for what is derived.
struct Stands {
  std::vector<int64_t> sizes;
  std::map<SizeExpression, int64_t> functions;
  std::vector<int64_t> derived;
};

/// A number without the factors that divide one of `others`.
int64_t ownPart(int64_t number, llvm::ArrayRef<int64_t> others);
bool isPrime(int64_t number);

/// Chooses a number for each of `sizes` and of `derived`.
/// Always: each has a prime factor that divides no other of them and none of the extents in `fixed`, so that the factors
/// of a number in a type say which sizes it is a product of; and no expression in `required` is negative.
/// The first choice has the largest primes. The others, primes or twice primes, are for comparing compilations with it:
/// every number and every difference of two is another one; a size's number leaves another remainder by 3, 4, 5, 7 and 8;
/// a derived number is not in both choices a multiple of 2, 3, 4, 5, 7 or 8 unless it is one at all sizes (if there is no
/// such choice: of 4 alone).
/// `isLoose`: derived numbers need not fit the others (SizeScope.h). Returns up to `most` choices; empty: there is none.
std::vector<Stands> chooseStands(const std::vector<ScopedSize> &sizes, llvm::ArrayRef<DerivedDim> derived,
                                 llvm::ArrayRef<SizeExpression> required, llvm::ArrayRef<int64_t> fixed, bool isLoose,
                                 int most);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_CHOOSESTANDS_H
