//===- TensorViews.cpp - operations that only move elements ---------------===//

#include "TensorViews.h"

#include "Heddle.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

bool heddle::isReshape(Operation *op) { return isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op); }

bool heddle::isView(Operation *op) {
  return isReshape(op) || isa_and_nonnull<tensor::ExtractSliceOp, tensor::CastOp>(op);
}

Value heddle::findViewedTensor(Value value) {
  while (isView(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

Value heddle::emitViews(OpBuilder &b, Value value, Value source) {
  Operation *view = value.getDefiningOp();
  if (!isView(view))
    return source;
  Value viewed = emitViews(b, view->getOperand(0), source);
  Operation *copy = b.clone(*view);
  copy->setOperand(0, viewed);
  copy->getResult(0).setType(cast<ShapedType>(value.getType()).clone(getElementTypeOrSelf(viewed)));
  return copy->getResult(0);
}

/// Returns whether each element of the operation's result is an element of its first operand.
static bool isMove(Operation *op) {
  auto generic = dyn_cast_or_null<linalg::GenericOp>(op);
  bool onlyYields = generic && generic.getNumDpsInputs() == 1 && generic.getNumDpsInits() == 1 &&
                    generic.getBody()->getTerminator()->getOperand(0) == generic.getBody()->getArgument(0);
  return isView(op) || isa_and_nonnull<linalg::TransposeOp, linalg::BroadcastOp>(op) || onlyYields;
}

Value heddle::findMoved(Value value) {
  while (isMove(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

Type heddle::findExactElement(Value value) { return getElementTypeOrSelf(storedValue(findMoved(value))); }
