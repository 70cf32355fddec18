//===- ChoosePlaceholders.h - chooses placeholders of sizes -----*- C++ -*-===//

#ifndef HEDDLE_IMPORT_SIZES_CHOOSEPLACEHOLDERS_H
#define HEDDLE_IMPORT_SIZES_CHOOSEPLACEHOLDERS_H

#include "SizeScope.h"

namespace heddle {

/// A set of placeholders: numbers that represent sizes, functions of sizes with placeholders of their own
/// (PlaceholderRules::functions), and derived sizes in types.
struct Placeholders {
  std::vector<int64_t> sizes;
  std::map<SizeExpression, int64_t> functions;
  std::vector<int64_t> derived;
};

/// The part of `number` without prime factors of `others`.
int64_t ownPart(int64_t number, llvm::ArrayRef<int64_t> others);
bool isPrime(int64_t number);

/// Chooses placeholders for `sizes` and `derived` and returns up to `maximum` sets of them; empty if there is none.
///
/// In each set every placeholder has a prime factor that divides no other placeholder and none of the extents in
/// `fixed`, so that the factors of a number in a type tell which sizes it is a product of. No expression in `required`
/// is negative at the placeholders.
///
/// The first set has the largest primes. The other sets have primes or twice primes; the compiler compares compilations
/// with them to the first one. In these every placeholder and every difference of two placeholders differs from the
/// first set; the placeholder of a size has another remainder modulo 3, 4, 5, 7 and 8; and a derived placeholder is not
/// in both sets a multiple of 2, 3, 4, 5, 7 or 8 unless it is a multiple at all sizes (if there is no such set, only 4
/// counts).
///
/// If `isUnchecked`, the import is unchecked and derived placeholders need not fit the others (SizeScope.h).
std::vector<Placeholders> choosePlaceholders(const std::vector<ScopedSize> &sizes, llvm::ArrayRef<DerivedDim> derived,
                                             llvm::ArrayRef<SizeExpression> required, llvm::ArrayRef<int64_t> fixed,
                                             bool isUnchecked, int maximum);

} // namespace heddle

#endif // HEDDLE_IMPORT_SIZES_CHOOSEPLACEHOLDERS_H
