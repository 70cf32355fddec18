//===- SizeNumber.h - constants that depend on sizes ------------*- C++ -*-===//

#ifndef HEDDLE_COMPILE_SIZENUMBER_H
#define HEDDLE_COMPILE_SIZENUMBER_H

#include "Sizes.h"

namespace heddle {

/// An integer in code that is an extent, such as a stride, a trip count or a number of bytes, or the sum of an extent
/// and a number, as positions in tensors are.
struct SizeNumber {
  Extent extent; // depends on sizes
  int64_t plus = 0;

  /// The extent that an integer, or each element of a constant with equal elements, represents; nothing if it does not
  /// depend on sizes. The match may be a coincidence, which a comparison with a module with other placeholders reveals.
  static std::optional<SizeNumber> find(const Sizes &sizes, mlir::Attribute number);

  /// The sum of a multiple of a product of sizes and a number that explains why an integer is `theirs` in a module with
  /// the placeholders `others`. From two modules this is a guess, which a third module must confirm. The sum must not
  /// be negative at any size: otherwise the code would depend on the sizes being large enough.
  static std::optional<SizeNumber> findSum(const Sizes &sizes, const Sizes &others, mlir::Attribute mine,
                                           mlir::Attribute theirs);

  /// Whether the other number, from a module with other placeholders, is the same function of sizes.
  bool isLike(const SizeNumber &other) const;
};

} // namespace heddle

#endif // HEDDLE_COMPILE_SIZENUMBER_H
