//===- KeyBuffer.cpp - buffers of keys and values -------------------------===//

#include "KeyBuffer.h"

#include "../SizedOperands.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle::onnx;

Value heddle::onnx::padTo(Emitter &b, Value value, int64_t axis, const Dim &extent) {
  Shape missing(shapeOf(value));
  missing[axis] = extent - missing[axis];
  return missing[axis].number() == 0 ? value : b.concat({value, b.splat(missing, elementOf(value), 0)}, axis);
}

Value heddle::onnx::appendAt(Emitter &b, Value past, Value now, Value before, const Dim &keys) {
  Type element = elementOf(now), i64 = b.getI64Type();
  Dim batch = shapeOf(now)[0], positions = shapeOf(now)[1];
  past = padTo(b, past, 2, keys);
  // The index of each position among the new positions, which is negative for positions of the past.
  Value position = onnx::positions(b, {1, keys}, 1);
  Value place = b.sub(position, b.reshape(before, {batch, 1}));
  SmallVector<AffineExpr> placeDims{b.getAffineDimExpr(0), b.getAffineDimExpr(2)};
  AffineMap all = b.getMultiDimIdentityMap(4);
  SmallVector<AffineMap> maps{AffineMap::get(4, 0, placeDims, b.getContext()), all, all};
  SmallVector<utils::IteratorType> iterators(4, utils::IteratorType::parallel);
  Value init = tensor::EmptyOp::create(b, numbersOf(shapeOf(past)), element);
  Value counted = positions.isFixed() ? Value() : arith::IndexCastOp::create(b, i64, b.index(positions - 1));
  auto body = [&](OpBuilder &builder, Location loc, ValueRange args) {
    ImplicitLocOpBuilder inner(loc, builder);
    auto number = [&](int64_t value) { return arith::ConstantOp::create(inner, inner.getIntegerAttr(i64, value)); };
    Value first = number(0), last = counted ? counted : number(*positions.number() - 1);
    Value row = arith::MaxSIOp::create(inner, arith::MinSIOp::create(inner, args[0], last), first);
    auto index = [&](unsigned dim) -> Value { return linalg::IndexOp::create(inner, dim); };
    Value at[] = {index(0), arith::IndexCastOp::create(inner, inner.getIndexType(), row), index(1), index(3)};
    Value added = tensor::ExtractOp::create(inner, now, at);
    Value none = arith::ConstantOp::create(inner, inner.getFloatAttr(element, 0));
    Value isPast = arith::CmpIOp::create(inner, arith::CmpIPredicate::slt, args[0], first);
    Value isAdded = arith::CmpIOp::create(inner, arith::CmpIPredicate::sle, args[0], last);
    Value behind = arith::SelectOp::create(inner, isAdded, added, none);
    linalg::YieldOp::create(inner, Value(arith::SelectOp::create(inner, isPast, args[1], behind)));
  };
  return linalg::GenericOp::create(b, init.getType(), ValueRange{place, past}, init, maps, iterators, body).getResult(0);
}
