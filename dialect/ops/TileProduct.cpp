//===- TileProduct.cpp - constraints of tile_product ----------------------===//

#include "Heddle.h"

using namespace mlir;
using namespace heddle;

MutableOperandRange TileProductOp::getDpsInitsMutable() { return MutableOperandRange(getStartMutable()); }

/// Returns the number of columns of a weight in steps of `depth` rows, over all panels.
static int64_t weightColumns(RankedTensorType weight, int64_t depth) {
  int64_t panels = weight.getRank() == 3 ? weight.getDimSize(0) : 1;
  return panels * (weight.getShape().back() / depth);
}

LogicalResult TileProductOp::verifyConstraints() {
  auto rows = cast<RankedTensorType>(getRows().getType()), weight = cast<RankedTensorType>(getWeight().getType());
  auto sums = cast<RankedTensorType>(getStart().getType());
  ProductKind kind = getKind();
  int64_t depth = kind.getDepth();
  if (!rows.hasStaticShape() || !weight.hasStaticShape() || !sums.hasStaticShape() || rows.getDimSize(2) != depth ||
      weight.getShape().back() % depth != 0 || rows.getDimSize(0) != sums.getDimSize(0) ||
      weight.getShape().take_back(2).front() != rows.getDimSize(1) || sums.getDimSize(1) > weightColumns(weight, depth))
    return emitOpError() << "expects rows [M, S, " << depth
                         << "], a weight of S steps with N columns or more, and sums "
                         << "[M, N], all static, found " << rows << ", " << weight << " and " << sums << " (C1)";
  if (rows.getElementType() != kind.getRowsElement() || weight.getElementType() != kind.getWeightElement() ||
      sums.getElementType() != kind.getSumElement())
    return emitOpError() << "expects " << kind.getRowsElement() << ", " << kind.getWeightElement() << " and "
                         << kind.getSumElement() << " for " << kind << ", found " << rows << ", " << weight << " and "
                         << sums << " (C2)";
  ArrayRef<int64_t> every = getEvery();
  int64_t steps = rows.getDimSize(1);
  if (every.size() != getPrefetched().size() || getLocality() < 0 || getLocality() > 3)
    return emitOpError("expects a number in `every` for each list to prefetch, and 0 to 3 as `locality` (C3)");
  for (auto [list, spacing] : llvm::zip(getPrefetched(), every))
    if (auto type = cast<RankedTensorType>(list.getType());
        spacing <= 0 || type.isDynamicDim(0) || type.getDimSize(0) < llvm::divideCeilSigned(steps, spacing))
      return emitOpError() << "expects an element for every " << spacing << " of " << steps << " steps, found " << type
                           << " (C3)";
  if (steps > kind.getMaxSteps())
    return emitOpError() << "the sums of " << kind << " overflow after " << kind.getMaxSteps() << " steps, found "
                         << steps;
  return success();
}
