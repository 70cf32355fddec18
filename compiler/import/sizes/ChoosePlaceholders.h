//===- ChoosePlaceholders.h - chooses placeholders of sizes -----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_CHOOSEPLACEHOLDERS_H
#define HEDDLE_IMPORT_SIZES_CHOOSEPLACEHOLDERS_H

#include "SizeScope.h"

namespace heddle {

/// A set of placeholders: the numbers that represent sizes, functions of sizes (PlaceholderRules::functions) and
/// derived sizes in types. The vectors are in the order of the sizes and derived sizes.
struct Placeholders {
  std::vector<int64_t> sizes;
  std::map<SizeExpression, int64_t> functions;
  std::vector<int64_t> derived;
};

/// Returns `number` without the prime factors that it shares with any number in `others`; 1 if it has no other factors.
int64_t ownPart(int64_t number, llvm::ArrayRef<int64_t> others);
bool isPrime(int64_t number);

/// Chooses placeholders for `sizes` and `derived` and returns sets of them; empty if none is found. Returns at most
/// `maximum` sets. If no extent contains a function of sizes, the first two sets are searched together, and both are
/// returned even if `maximum` is 1.
///
/// In each set, every placeholder of a size or derived size has a prime factor that divides no other of these
/// placeholders and none of the extents in `fixed`, so the prime factors of a number in a type show of which sizes it
/// is a product. No expression in `required` is negative at the placeholders.
///
/// In the first set, the placeholders of sizes are primes, which are large if possible. In the other sets, they are
/// primes or twice primes. The compiler compares the code for another set with the code for the first set. Therefore,
/// in every other set,
/// - each placeholder, and each difference of two placeholders that is not the same at all sizes, differs from its
/// value in the first set;
/// - the placeholder of a size has remainders modulo 3, 4, 5, 7 and 8 that differ from those in the first set;
/// - no placeholder of a derived size is a multiple of 2, 3, 4, 5, 7 or 8 in both sets, unless the derived size is such
/// a multiple at all sizes. If no set that satisfies this condition is found, only multiples of 4 are excluded.
/// These conditions do not apply to sizes that exist only during the import (HiddenSize.h).
///
/// If `isUnchecked`, the placeholder of a derived size need not be the value of its expression at the other
/// placeholders (SizeScope.h).
std::vector<Placeholders> choosePlaceholders(const std::vector<ScopedSize> &sizes, llvm::ArrayRef<DerivedDim> derived,
                                             llvm::ArrayRef<SizeExpression> required, llvm::ArrayRef<int64_t> fixed,
                                             bool isUnchecked, int maximum);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_CHOOSEPLACEHOLDERS_H
