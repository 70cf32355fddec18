//===- IsWithin.cpp - checks indices for all sizes ------------------------===//

#include "IsWithin.h"

#include "SizeDomain.h"
#include "SizeScope.h"

using namespace mlir;
using namespace heddle;

/// If the bounds of the expression do not suffice, checks the corners of the tensor, where each index is the first or
/// the last one of its dimension: an expression that is linear in each index has its minimum and its maximum there.
bool heddle::isWithin(const SizeExpression &index, ArrayRef<Dim> shape, const Dim &low, const Dim &high) {
  const SizeDomain &domain = SizeScope::current()->domain();
  auto isNever = [&](const SizeExpression &e) { return domain.isNegative(e).always == false; };
  auto holds = [&](const SizeExpression &at) {
    return isNever(at - low.asExpression()) && isNever(high.asExpression() - 1 - at);
  };
  SmallVector<unsigned> places = index.places();
  SmallVector<SizeBounds> bounds;
  for (const Dim &dim : shape)
    bounds.push_back({0, std::max<int64_t>(dim.high() - 1, 0)});
  if (auto all = domain.boundsOf(index, bounds, /*isExact=*/true))
    if (all->low >= low.high() && all->high < high.low())
      return true;
  if (places.size() > 8)
    return false;
  for (size_t corner = 0; corner < size_t(1) << places.size(); ++corner) {
    SmallVector<SizeExpression> at;
    for (unsigned i = 0; i < shape.size(); ++i)
      at.push_back(SizeExpression::place(i));
    for (auto [i, place] : llvm::enumerate(places)) {
      // A second difference of 0 means that the expression is linear in this index.
      SmallVector<SizeExpression> next, afterNext;
      for (unsigned j = 0; j < shape.size(); ++j) {
        next.push_back(SizeExpression::place(j) + int64_t(j == place));
        afterNext.push_back(SizeExpression::place(j) + 2 * int64_t(j == place));
      }
      if (index.withPlaces(afterNext) - index.withPlaces(next) - index.withPlaces(next) + index != SizeExpression(0))
        return false;
      at[place] = corner >> i & 1 ? shape[place].asExpression() - 1 : SizeExpression(0);
    }
    if (!holds(index.withPlaces(at)))
      return false;
  }
  return true;
}
