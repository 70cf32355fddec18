//===- SizeDomain.h - decisions for all sizes of ranges ---------*- C++ -*-===//
//
// Sizes that lie in ranges have finitely many combinations. A question about an expression of sizes (Can it be 0? What
// is its minimum?) is answered for all of them: by bounds of the terms, or else by enumerating the combinations of the
// sizes in the expression, if there are not too many. If neither decides the question, the answer is unknown: it is
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

/// Whether a property holds for all sizes (true), for none (false), or is undecided (nullopt). If known, `where` is a
/// combination of sizes for which it holds, and `whereNot` one for which it does not.
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

  /// Restricts all later decisions to combinations of sizes that satisfy this limit.
  void setLimit(SizeLimit sum) { limit = sum; }

  /// Returns the bounds of an expression, given the bounds of its places; nullopt if it may have no value. With
  /// `isExact`, enumerates the combinations if the bounds of the terms may be too wide.
  std::optional<SizeBounds> boundsOf(const SizeExpression &expression, llvm::ArrayRef<SizeBounds> places = {},
                                     bool isExact = false) const;

  /// Whether the expression is 0, or negative. Undecided if the expression has no value at some sizes.
  SizeDecision isZero(const SizeExpression &expression) const;
  SizeDecision isNegative(const SizeExpression &expression) const;

  /// Returns an equal expression. It is a number if the expression is constant; minima, quotients and comparisons that
  /// are decided for all sizes (and for all places within these bounds) are removed.
  SizeExpression simplify(const SizeExpression &expression, llvm::ArrayRef<SizeBounds> places = {}) const;

private:
  SizeDecision decide(const SizeExpression &expression, bool isZero) const;
  /// Whether the expression has one of the two sizes whose sum is limited.
  bool isLimited(const SizeExpression &expression) const;
  bool isBeyondLimit(llvm::ArrayRef<int64_t> sizes) const {
    return limit && sizes[limit->one] + sizes[limit->other] > limit->maximum;
  }
  /// Returns the values of the two limited sizes at which an expression that is linear in each size takes its minimum
  /// and its maximum.
  llvm::SmallVector<std::pair<int64_t, int64_t>> cornersOfLimit(const SizeExpression &expression) const;
  /// Calls `see` with the value at each combination of the sizes of `expression` until it returns false. Returns false
  /// if there are too many combinations.
  bool forEachChoice(const SizeExpression &expression, llvm::ArrayRef<SizeBounds> places,
                     llvm::function_ref<bool(std::optional<int64_t>, llvm::ArrayRef<int64_t>)> see) const;

  llvm::SmallVector<SizeBounds> ranges;
  std::optional<SizeLimit> limit;
};

} // namespace heddle

#endif // HEDDLE_DIALECT_SIZEDOMAIN_H
