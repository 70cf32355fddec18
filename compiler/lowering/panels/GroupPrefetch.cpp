//===- GroupPrefetch.cpp - prefetches of a weight's groups ----------------===//

#include "GroupPrefetch.h"
#include "Emit.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

/// The size of a cache line in bytes.
static constexpr int64_t cacheLine = 64;

GroupPrefetch::Lines GroupPrefetch::emit(OpBuilder &b, Location loc, Value weight, OpFoldResult panel,
                                         OpFoldResult line, int64_t lines, int64_t steps) const {
  auto type = cast<RankedTensorType>(weight.getType());
  if (!bytes || type.getRank() != 3 || !type.getElementType().isInteger(8))
    return {};
  int64_t width = type.getDimSize(2), total = type.getNumElements();
  // Each list has a line for every step, but the last list may have a line for every few steps.
  Lines result;
  SmallVector<int64_t> counts;
  for (int64_t rest = llvm::divideCeil(lines * width, cacheLine); rest > 0; rest -= counts.back()) {
    result.every.push_back(std::max<int64_t>(steps / rest, 1));
    counts.push_back(llvm::divideCeil(steps, result.every.back()));
  }
  int64_t all = 0;
  for (int64_t count : counts)
    all += count;
  if (total < all * cacheLine)
    return {};
  AffineExpr p = b.getAffineDimExpr(0), l = b.getAffineDimExpr(1);
  AffineExpr ahead = p * (type.getDimSize(1) * width) + l * width + bytes;
  AffineExpr last = b.getAffineConstantExpr(total - all * cacheLine);
  OpFoldResult from =
      affine::makeComposedFoldedAffineMin(b, loc, AffineMap::get(2, 0, {ahead, last}, b.getContext()), {panel, line});
  Value stream = emitReshape(b, loc, weight, {total});
  for (int64_t count : counts) {
    result.lists.push_back(tensor::ExtractSliceOp::create(b, loc, stream, from, OpFoldResult(b.getIndexAttr(count)),
                                                          OpFoldResult(b.getIndexAttr(cacheLine))));
    from = emitAffine(b, loc, from, 1, count * cacheLine);
  }
  return result;
}
