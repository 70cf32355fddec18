//===- Widen.cpp - constraints of widen, and what lies behind one ---------===//

#include "Shapes.h"

using namespace mlir;
using namespace heddle;

LogicalResult WidenOp::verifyConstraints() {
  Type from = getElementTypeOrSelf(getInput()), to = getElementTypeOrSelf(getResult());
  if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    return success();
  return emitOpError("result has element type ") << to << ", expected floats wider than " << from << " (C1)";
}

Value heddle::storedValue(Value value) {
  auto widen = value.getDefiningOp<WidenOp>();
  return widen ? widen.getInput() : value;
}

Value heddle::widenedLike(OpBuilder &builder, Value narrow, Value like) {
  if (!like.getDefiningOp<WidenOp>())
    return narrow;
  auto type = cast<RankedTensorType>(narrow.getType()).clone(getElementTypeOrSelf(like));
  return WidenOp::create(builder, like.getLoc(), type, narrow);
}
