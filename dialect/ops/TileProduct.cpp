//===- TileProduct.cpp - constraints of tile_product ----------------------===//

#include "Heddle.h"

using namespace mlir;
using namespace heddle;

MutableOperandRange TileProductOp::getDpsInitsMutable() { return MutableOperandRange(getStartMutable()); }

void TileProductOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (isa<TensorType>(getStart().getType()))
    return;
  auto *memory = SideEffects::DefaultResource::get();
  for (OpOperand &operand : getOperation()->getOpOperands())
    if (&operand != &getStartMutable() || !getFromZero())
      effects.emplace_back(MemoryEffects::Read::get(), &operand, memory);
  effects.emplace_back(MemoryEffects::Write::get(), &getStartMutable(), memory);
}

/// Returns whether the shapes of the operands satisfy (C1) for a kind.
static bool fit(ShapedType rows, ShapedType weight, ShapedType sums, ProductKind kind) {
  int64_t depth = kind.getDepth(), steps = 0;
  if (!rows.hasStaticShape() || !weight.hasStaticShape() || !sums.hasStaticShape() || sums.getNumElements() == 0)
    return false;
  ArrayRef<int64_t> last = weight.getShape().take_back(2);
  int64_t panels = weight.getRank() == 3 ? weight.getDimSize(0) : 1, columns = 0;
  return rows.getDimSize(2) == depth && rows.getDimSize(0) == sums.getDimSize(0) &&
         !llvm::MulOverflow(last[0], kind.getStepsPerElement(), steps) && rows.getDimSize(1) == steps &&
         last[1] % depth == 0 && (llvm::MulOverflow(panels, last[1] / depth, columns) || sums.getDimSize(1) <= columns);
}

LogicalResult TileProductOp::verifyConstraints() {
  auto rows = cast<ShapedType>(getRows().getType()), weight = cast<ShapedType>(getWeight().getType());
  ShapedType sums = getSumsType();
  ProductKind kind = getKind();
  int64_t shared = kind.getStepsPerElement();
  if (!fit(rows, weight, sums, kind))
    return emitOpError() << "expects rows [M, S, " << kind.getDepth() << "], a weight of S"
                         << (shared > 1 ? " / " + std::to_string(shared) : "") << " steps with N columns or more, "
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
    if (auto type = cast<ShapedType>(list.getType());
        type.isDynamicDim(0) || type.getDimSize(0) < llvm::divideCeilSigned(getSteps(), number))
      return emitOpError() << "expects an element for every " << number << " of " << getSteps() << " steps, found "
                           << type << " (C3)";
  bool isTensor = isa<TensorType>(sums);
  if (llvm::any_of(getOperandTypes(), [&](Type type) { return isa<TensorType>(type) != isTensor; }) ||
      (isTensor ? !getResult() || getResult().getType() != sums : bool(getResult())))
    return emitOpError("expects tensors and a result of the type of start, or buffers and no result (C4)");
  ProductUnit unit = kind.getUnit();
  if (unit.rows < 1 || unit.columns < 1 || unit.steps < 1 || sums.getDimSize(0) % unit.rows ||
      sums.getDimSize(1) % unit.columns || getSteps() % unit.steps)
    return emitOpError() << "expects multiples of " << unit.rows << " rows, " << unit.columns << " columns and "
                         << unit.steps << " steps for " << kind << ", found " << sums.getDimSize(0) << ", "
                         << sums.getDimSize(1) << " and " << getSteps() << " (C5)";
  return success();
}
