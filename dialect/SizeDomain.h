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

/// Two sizes whose sum is at most `most`.
struct SizeLimit {
  unsigned one, other;
  int64_t most;
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

  /// From now on only choices of sizes with this sum count.
  void setLimit(SizeLimit sum) { limit = sum; }

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
  /// Whether it has a size of which only choices with a limited sum count.
  bool isLimited(const SizeExpression &expression) const;
  bool isBeyondLimit(llvm::ArrayRef<int64_t> sizes) const {
    return limit && sizes[limit->one] + sizes[limit->other] > limit->most;
  }
  /// Both sizes whose sum is limited, where an expression that is linear along each is least and largest.
  llvm::SmallVector<std::pair<int64_t, int64_t>> cornersOfLimit(const SizeExpression &expression) const;
  /// Calls `see` with the value at each choice of the sizes of `expression` until it is false; false where these are too
  /// many.
  bool forEachChoice(const SizeExpression &expression, llvm::ArrayRef<SizeBounds> places,
                     llvm::function_ref<bool(std::optional<int64_t>, llvm::ArrayRef<int64_t>)> see) const;

  llvm::SmallVector<SizeBounds> ranges;
  std::optional<SizeLimit> limit;
};

} // namespace heddle

#endif // HEDDLE_DIALECT_SIZEDOMAIN_H
