//===- SizeNumber.h - constants that depend on sizes ------------*- C++ -*-===//

#ifndef HEDDLE_COMPILE_SIZENUMBER_H
#define HEDDLE_COMPILE_SIZENUMBER_H

#include "Sizes.h"

namespace heddle {

/// An integer in code that is an extent or the sum of an extent and a number. Extents are, for example, strides, trip
/// counts and numbers of bytes; sums are positions in tensors.
struct SizeNumber {
  Extent extent;    // an extent that depends on sizes
  int64_t plus = 0; // the fixed number that is added

  /// Returns the extent that an integer, or each element of a constant with equal elements, represents. The integer is
  /// then a multiple of a product of placeholders. Returns nullopt for other integers. The match may be a coincidence,
  /// which a comparison with a module with other placeholders reveals.
  static std::optional<SizeNumber> find(const Sizes &sizes, mlir::Attribute number);

  /// Finds a multiple of a product of sizes, plus a fixed number, that explains a constant in two modules: its value is
  /// `mine` with the placeholders `sizes`, and `theirs` with the placeholders `others`. A sum that is found from two
  /// modules is a guess, which a third module must confirm. A sum that is negative at the smallest sizes is not
  /// returned: positions in tensors are never negative, so it would explain the constant at larger sizes only.
  static std::optional<SizeNumber> findSum(const Sizes &sizes, const Sizes &others, mlir::Attribute mine,
                                           mlir::Attribute theirs);

  /// Returns whether `other`, from a module with other placeholders, is the same function of sizes.
  bool isLike(const SizeNumber &other) const;
};

} // namespace heddle

#endif // HEDDLE_COMPILE_SIZENUMBER_H
