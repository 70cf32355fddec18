//===- TileCopy.cpp - constraints of tile_copy ----------------------------===//

#include "Heddle.h"

using namespace mlir;
using namespace heddle;

MutableOperandRange TileCopyOp::getDpsInitsMutable() { return MutableOperandRange(getTileMutable()); }

void TileCopyOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (isa<TensorType>(getTile().getType()))
    return;
  effects.emplace_back(MemoryEffects::Read::get(), &getSourceMutable(), SideEffects::DefaultResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), &getTileMutable(), SideEffects::DefaultResource::get());
}

LogicalResult TileCopyOp::verifyConstraints() {
  auto source = cast<ShapedType>(getSource().getType()), tile = cast<ShapedType>(getTile().getType());
  bool isTensor = isa<TensorType>(tile);
  if (isTensor != isa<TensorType>(source) || isTensor != bool(getResult()) ||
      (isTensor && getResult().getType() != tile))
    return emitOpError() << "expects two tensors and a result, or two buffers, found " << source << " and " << tile
                         << " (C1)";
  if (!tile.hasStaticShape() || tile.getNumElements() == 0)
    return emitOpError() << "expects a tile of static size that is not empty, found " << tile << " (C2)";
  if (getIndices().size() != 2 || (!getValid().empty() && getValid().size() != 2))
    return emitOpError() << "expects two indices, and two numbers of valid rows and columns or none, found "
                         << getIndices().size() << " and " << getValid().size() << " (C3)";
  if (getAsync() && isTensor)
    return emitOpError("expects buffers of an async copy, found tensors (C4)");
  return success();
}
