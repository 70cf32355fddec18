//===- TileProduct.cpp - constraints of tile_product ----------------------===//

#include "Heddle.h"

using namespace mlir;
using namespace heddle;

/// Returns whether the shapes of the operands satisfy (C1) for a kind with this depth.
static bool fit(RankedTensorType rows, RankedTensorType weight, RankedTensorType sums, int64_t depth) {
  if (!rows.hasStaticShape() || !weight.hasStaticShape() || !sums.hasStaticShape() || sums.getNumElements() == 0)
    return false;
  ArrayRef<int64_t> last = weight.getShape().take_back(2);
  int64_t panels = weight.getRank() == 3 ? weight.getDimSize(0) : 1, columns = 0;
  return rows.getDimSize(2) == depth && rows.getDimSize(0) == sums.getDimSize(0) && rows.getDimSize(1) == last[0] &&
         last[1] % depth == 0 && (llvm::MulOverflow(panels, last[1] / depth, columns) || sums.getDimSize(1) <= columns);
}

LogicalResult TileProductOp::verifyConstraints() {
  auto rows = cast<RankedTensorType>(getRows().getType()), weight = cast<RankedTensorType>(getWeight().getType());
  auto sums = cast<RankedTensorType>(getStart().getType());
  ProductKind kind = getKind();
  if (!fit(rows, weight, sums, kind.getDepth()))
    return emitOpError() << "expects rows [M, S, " << kind.getDepth()
                         << "], a weight of S steps with N columns or more, "
                         << "and start [M, N], all static and with positive M and N, found " << rows << ", " << weight
                         << " and " << sums << " (C1)";
  if (rows.getElementType() != kind.getRowsElement() || weight.getElementType() != kind.getWeightElement() ||
      sums.getElementType() != kind.getSumElement())
    return emitOpError() << "expects " << kind.getRowsElement() << ", " << kind.getWeightElement() << " and "
                         << kind.getSumElement() << " for " << kind << ", found " << rows << ", " << weight << " and "
                         << sums << " (C2)";
  if (getSteps() > kind.getMaxSteps())
    return emitOpError() << "the sums of " << kind << " overflow after " << kind.getMaxSteps() << " steps, found "
                         << getSteps() << " (C2)";
  ArrayRef<int64_t> every = getEvery();
  if (every.size() != getPrefetched().size() || llvm::any_of(every, [](int64_t number) { return number <= 0; }))
    return emitOpError("expects a positive number in `every` for each list of `prefetch` (C3)");
  if (getLocality() < 0 || getLocality() > 3 || (every.empty() && getLocality() != 3))
    return emitOpError() << "expects a `locality` of 0 to 3, and 3 without `prefetch`, found " << getLocality()
                         << " (C3)";
  for (auto [list, number] : llvm::zip(getPrefetched(), every))
    if (auto type = cast<RankedTensorType>(list.getType());
        type.isDynamicDim(0) || type.getDimSize(0) < llvm::divideCeilSigned(getSteps(), number))
      return emitOpError() << "expects an element for every " << number << " of " << getSteps() << " steps, found "
                           << type << " (C3)";
  return success();
}
