//===- SizeDomain.h - decisions for all sizes of ranges ---------*- C++ -*-===//
//
// Sizes that lie in ranges have finitely many combinations. A question about an expression of sizes (Can it be 0? What
// is its minimum?) is answered for all of them: by bounds of the terms or, if these do not decide it, by enumerating
// the combinations of the sizes in the expression if there are not too many. Otherwise the answer is unknown: it is
// never inferred from samples.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_SIZEDOMAIN_H
#define HEDDLE_DIALECT_SIZEDOMAIN_H

#include "SizeExpression.h"

namespace heddle {

/// The minimum and the maximum of a value, both inclusive.
struct SizeBounds {
  int64_t low, high;
  bool isNumber() const { return low == high; }
};

/// Two sizes, given by their numbers, whose sum is at most `maximum`.
struct SizeLimit {
  unsigned one, other;
  int64_t maximum;
};

/// Whether a property holds for all sizes (true) or for none (false); nullopt if it holds for some sizes only or is
/// undecided. `where` is a combination of sizes for which the property holds, `whereNot` a combination for which it
/// does not hold; each is empty if no such combination was found.
struct SizeDecision {
  std::optional<bool> always;
  llvm::SmallVector<int64_t> where, whereNot;
};

/// The ranges of a model's sizes.
class SizeDomain {
public:
  SizeDomain() = default;
  explicit SizeDomain(llvm::ArrayRef<SizeBounds> ranges) : ranges(ranges) {}

  llvm::ArrayRef<SizeBounds> all() const { return ranges; }

  /// Restricts all later decisions to combinations of sizes that satisfy the limit `sum`.
  void setLimit(SizeLimit sum) { limit = sum; }

  /// Returns the bounds of an expression, given the bounds of its places; nullopt if the expression may have no value.
  /// With `isExact`, also examines corners or all combinations of the ranges if the bounds of the terms may be too
  /// wide.
  std::optional<SizeBounds> boundsOf(const SizeExpression &expression, llvm::ArrayRef<SizeBounds> places = {},
                                     bool isExact = false) const;

  /// Whether the expression is 0 (isZero) or less than 0 (isNegative). Undecided if it has no value at some sizes.
  SizeDecision isZero(const SizeExpression &expression) const;
  SizeDecision isNegative(const SizeExpression &expression) const;

  /// Returns an expression with the same values. It is a number if the expression is constant. Minima, maxima,
  /// quotients and comparisons whose results are known for all sizes (and for all places within these bounds) are
  /// removed.
  SizeExpression simplify(const SizeExpression &expression, llvm::ArrayRef<SizeBounds> places = {}) const;

private:
  SizeDecision decide(const SizeExpression &expression, bool isZero) const;
  /// Whether the expression contains one of the two sizes whose sum is limited.
  bool isLimited(const SizeExpression &expression) const;
  bool isBeyondLimit(llvm::ArrayRef<int64_t> sizes) const {
    return limit && sizes[limit->one] + sizes[limit->other] > limit->maximum;
  }
  /// Returns the values of the two limited sizes at which an expression that is linear in each size takes its minimum
  /// and its maximum.
  llvm::SmallVector<std::pair<int64_t, int64_t>> cornersOfLimit(const SizeExpression &expression) const;
  /// Calls `see` with the value of `expression` (nullopt if it has no value) and the sizes, for each combination of the
  /// sizes and places in the expression, until `see` returns false. Returns false, without calling `see`, if there are
  /// too many combinations.
  bool forEachChoice(const SizeExpression &expression, llvm::ArrayRef<SizeBounds> places,
                     llvm::function_ref<bool(std::optional<int64_t>, llvm::ArrayRef<int64_t>)> see) const;

  llvm::SmallVector<SizeBounds> ranges;
  std::optional<SizeLimit> limit;
};

} // namespace heddle

#endif // HEDDLE_DIALECT_SIZEDOMAIN_H
