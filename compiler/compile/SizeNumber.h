//===- SizeNumber.h - constants of code that are made of sizes --*- C++ -*-===//

#ifndef HEDDLE_COMPILE_SIZENUMBER_H
#define HEDDLE_COMPILE_SIZENUMBER_H

#include "Sizes.h"

namespace heddle {

/// An integer in code that is an extent: a stride, a trip count, a number of bytes; or one and a number, as places in
/// tensors are.
struct SizeNumber {
  Extent extent; // has sizes
  int64_t plus = 0;

  /// What an integer, or each element of a constant that is the same everywhere, is if it is an extent. It may be so by
  /// chance: a module with other numbers for the sizes tells.
  static std::optional<SizeNumber> find(const Sizes &sizes, mlir::Attribute number);

  /// What an integer may be that is `theirs` in a module with the sizes `others`: a multiple of a product of sizes and any
  /// number. Of two modules that is a guess, which a third has to confirm. Not less than 0 at any size: what would be
  /// supposes that there are enough.
  static std::optional<SizeNumber> findSum(const Sizes &sizes, const Sizes &others, mlir::Attribute mine,
                                           mlir::Attribute theirs);

  /// Whether the other, a number of a module with other numbers for the sizes, is computed in the same way from them.
  bool isLike(const SizeNumber &other) const;
};

} // namespace heddle

#endif // HEDDLE_COMPILE_SIZENUMBER_H
