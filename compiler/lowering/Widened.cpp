//===- Widened.cpp - narrow tiles converted once --------------------------===//

#include "Widened.h"

#include "Heddle.h"
#include "ops/TensorViews.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

Value heddle::emitWidened(OpBuilder &b, Location loc, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (!findViewedTensor(tile).getDefiningOp<DequantizeOp>() || !type.hasStaticShape())
    return tile;
  Value wide = tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  return linalg::CopyOp::create(b, loc, tile, wide).getResult(0);
}

Value heddle::emitStored(OpBuilder &b, Value value) {
  Value wide = findViewedTensor(value), stored = storedValue(wide);
  return stored == wide ? value : emitViews(b, value, stored);
}

Value heddle::emitExtended(OpBuilder &body, Location loc, Value element, Type type) {
  auto from = dyn_cast<FloatType>(element.getType()), to = dyn_cast<FloatType>(type);
  bool isNarrower = from && to && from.getWidth() < to.getWidth();
  return isNarrower ? Value(arith::ExtFOp::create(body, loc, type, element)) : element;
}
