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

/// Chooses numbers for `sizes` such that each of these and each of `derived` has a prime factor of its own: one that
/// divides no other of them, and none of the model's fixed extents. Then the factors of a number in a type say which sizes
/// it is a product of. The first choice has the largest numbers, primes. Those behind it, primes and twice primes, are
/// for holding what is compiled against it: each number, and the difference of any two, is another one than in the first,
/// what stands for a size leaves another rest when it is divided by 3, 4, 5, 7 or 8, and what is derived is no multiple of
/// a small number in both, unless it is that at all sizes. (Where there are no such numbers, it is no multiple of 4 in
/// both.) None of `required` is negative. Where `isLoose`, each number of what is derived has nothing to do with the others
/// (SizeScope.h). Empty where there is no choice; as many as there are, up to `most`.
std::vector<Stands> chooseStands(const std::vector<ScopedSize> &sizes, llvm::ArrayRef<DerivedDim> derived,
                                 llvm::ArrayRef<SizeExpression> required, llvm::ArrayRef<int64_t> fixed, bool isLoose,
                                 int most);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_CHOOSESTANDS_H
