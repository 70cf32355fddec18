//===- SizeDomain.h - decisions for all sizes of ranges ---------*- C++ -*-===//
//
// Sizes that lie in ranges have finitely many combinations. A property of an expression of sizes, such as its minimum
// or whether it can be 0, is decided for all combinations. The decision is based on bounds of the terms. If these
// bounds do not suffice, the expression is evaluated at the corners of the ranges (if it is linear in each size) or at
// all combinations of its sizes. If there are too many combinations, the result is "unknown": no property is inferred
// from samples.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_SIZEDOMAIN_H
#define HEDDLE_DIALECT_SIZEDOMAIN_H

#include "SizeIntervals.h"

namespace heddle {

/// A limit of the sum of two sizes: the sizes with the indices `first` and `second` in the model's list of sizes have a
/// sum of at most `maximum`. An example is the number of past rows plus the number of new rows, limited by a capacity.
struct SizeLimit {
  unsigned first, second;
  int64_t maximum;
};

/// Whether a property holds for all sizes (true) or for none (false); nullopt if it holds for some sizes only or is
/// undecided. `where` is a combination of sizes for which the property holds, `whereNot` a combination for which it
/// does not hold; each is empty if no such combination was found.
struct SizeDecision {
  std::optional<bool> always;
  llvm::SmallVector<int64_t> where, whereNot;
};

/// The ranges of a model's sizes, and decisions that hold for all sizes in these ranges.
class SizeDomain {
public:
  SizeDomain() = default;
  /// `ranges[i]` are the bounds of the size with the index i in the model's list.
  explicit SizeDomain(llvm::ArrayRef<SizeBounds> ranges) : ranges(ranges) {}

  llvm::ArrayRef<SizeBounds> all() const { return ranges; }

  /// Restricts all later decisions to combinations of sizes that satisfy the limit `sum`.
  void setLimit(SizeLimit sum) { limit = sum; }

  /// Returns the bounds of an expression, given the bounds of its places (SizeExpression.h); nullopt if the expression
  /// might have no value at some sizes, for example because of a division by zero. Interval arithmetic on the terms may
  /// yield bounds that are too wide. With `isExact`, or if interval arithmetic fails, the corners or all combinations
  /// of the ranges are examined as well, unless there are too many.
  std::optional<SizeBounds> boundsOf(const SizeExpression &expression, llvm::ArrayRef<SizeBounds> places = {},
                                     bool isExact = false) const;

  /// Decides whether the expression, which has no places, is 0 (isZero) or less than 0 (isNegative). The result is
  /// undecided if the expression has no value at some sizes.
  SizeDecision isZero(const SizeExpression &expression) const;
  SizeDecision isNegative(const SizeExpression &expression) const;

  /// Returns an expression with the same values. It is a number if the expression is constant. Minima, maxima,
  /// quotients and comparisons whose results are known for all sizes (and for all places within these bounds) are
  /// removed.
  SizeExpression simplify(const SizeExpression &expression, llvm::ArrayRef<SizeBounds> places = {}) const;

private:
  /// Implements isZero, or isNegative if `isZero` is false.
  SizeDecision decide(const SizeExpression &expression, bool isZero) const;
  /// Whether the expression contains one of the two sizes whose sum is limited.
  bool isLimited(const SizeExpression &expression) const;
  /// Whether these sizes violate the limit.
  bool isBeyondLimit(llvm::ArrayRef<int64_t> sizes) const {
    return limit && sizes[limit->first] + sizes[limit->second] > limit->maximum;
  }
  /// Returns pairs of values of the two limited sizes. An expression that is linear in each size takes its minimum and
  /// its maximum at some of these pairs. If a term contains both sizes, the pairs include corners beyond the limit, so
  /// the bounds are valid but may be too wide. Requires a limit.
  llvm::SmallVector<std::pair<int64_t, int64_t>> cornersOfLimit(const SizeExpression &expression) const;
  /// Calls `see` with the value of `expression` (nullopt if it has no value) and the sizes, for each combination of the
  /// sizes and places in the expression that satisfies the limit, until `see` returns false. Other sizes have their
  /// lower bounds. Returns false, without calling `see`, if there are too many combinations (fewer are allowed if the
  /// expression's code is longer), or if a range is empty or missing.
  bool forEachChoice(const SizeExpression &expression, llvm::ArrayRef<SizeBounds> places,
                     llvm::function_ref<bool(std::optional<int64_t>, llvm::ArrayRef<int64_t>)> see) const;

  llvm::SmallVector<SizeBounds> ranges; // ranges[i] are the bounds of the size with the index i
  std::optional<SizeLimit> limit;
};

} // namespace heddle

#endif // HEDDLE_DIALECT_SIZEDOMAIN_H
