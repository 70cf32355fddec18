//===- SizeDomain.h - what holds for all sizes of ranges --------*- C++ -*-===//
//
// Sizes that lie in ranges are finitely many choices. A question about an expression of
// them (may it be 0? which is the least that it can be?) is decided for every one of these:
// by bounds of its terms, or else by looking at each choice of the sizes that it has, where
// these are not too many. What is not decided is not known: nothing is inferred from some.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_SIZEDOMAIN_H
#define HEDDLE_DIALECT_SIZEDOMAIN_H

#include "SizeExpression.h"

namespace heddle {

/// The least and the largest that something can be, both inclusive.
struct SizeBounds {
  int64_t low, high;
  bool isNumber() const { return low == high; }
};

/// Whether something holds for all sizes, or for none; else, where they were found, sizes for which it does and for
/// which it does not.
struct SizeDecision {
  std::optional<bool> always;
  llvm::SmallVector<int64_t> where, whereNot;
};

/// The sizes of a model and their ranges.
class SizeDomain {
public:
  SizeDomain() = default;
  explicit SizeDomain(llvm::ArrayRef<SizeBounds> ranges) : ranges(ranges) {}

  llvm::ArrayRef<SizeBounds> all() const { return ranges; }

  /// Bounds of an expression, with those of the places that it has; none where it may have no value. `isExact`: looks
  /// at each choice where bounds of the terms may be too wide.
  std::optional<SizeBounds> boundsOf(const SizeExpression &expression, llvm::ArrayRef<SizeBounds> places = {},
                                     bool isExact = false) const;

  /// Whether it is 0, or less than 0. An expression that has no value at some sizes is undecided.
  SizeDecision isZero(const SizeExpression &expression) const;
  SizeDecision isNegative(const SizeExpression &expression) const;

  /// The same expression, or the number that it is everywhere. Minima, quotients and comparisons that are decided for all
  /// sizes (and places within these bounds) go.
  SizeExpression simplify(const SizeExpression &expression, llvm::ArrayRef<SizeBounds> places = {}) const;

private:
  SizeDecision decide(const SizeExpression &expression, bool isZero) const;
  /// Calls `see` with the value at each choice of the sizes of `expression` until it is false; false where these are too
  /// many.
  bool forEachChoice(const SizeExpression &expression, llvm::ArrayRef<SizeBounds> places,
                     llvm::function_ref<bool(std::optional<int64_t>, llvm::ArrayRef<int64_t>)> see) const;

  llvm::SmallVector<SizeBounds> ranges;
};

} // namespace heddle

#endif // HEDDLE_DIALECT_SIZEDOMAIN_H
