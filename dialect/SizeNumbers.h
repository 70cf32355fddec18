//===- SizeNumbers.h - numbers that are computed from sizes -----*- C++ -*-===//
//
// A mean divides by how many elements it sums up, a lookup ends at the last one: importers
// compute such numbers, also floats, of the primes that stand for sizes (Sizes.h). Here is
// what they can be.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_SIZENUMBERS_H
#define HEDDLE_DIALECT_SIZENUMBERS_H

#include "Sizes.h"

namespace heddle {

/// A number that is an extent, or one more or less, or what 1 is divided by that.
struct SizeNumber {
  Extent extent; // has sizes
  int64_t plus = 0;
  bool isInverse = false; // of a float

  /// What an integer or a float may be, or each element of a constant that is the same everywhere; none where it is
  /// nothing of sizes. A number may be so by chance.
  static std::optional<SizeNumber> find(const Sizes &sizes, mlir::Attribute number);

  /// What an integer may be that is `theirs` in a module with the sizes `others`: a multiple of a product of sizes and
  /// any number, such as a place in a tensor. Of two modules that is a guess, which a third has to confirm. Not less
  /// than 0 at any size: what would be supposes that there are enough.
  static std::optional<SizeNumber> findSum(const Sizes &sizes, const Sizes &others, mlir::Attribute mine,
                                           mlir::Attribute theirs);

  /// Whether the other, a number of a module with other primes, is computed in the same way from the same sizes.
  bool isLike(const SizeNumber &other) const;
  /// The number, of the type of an element, where its extent is `product`; null where it is too large for its type.
  mlir::Attribute at(int64_t product, mlir::Type type) const;
};

} // namespace heddle

#endif // HEDDLE_DIALECT_SIZENUMBERS_H
