//===- KeyBuffer.cpp - keys of a past that end where each call says -------===//

#include "KeyBuffer.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace heddle::onnx;

Value heddle::onnx::padTo(Emitter &b, Value value, int64_t axis, int64_t extent) {
  Shape missing(shapeOf(value));
  missing[axis] = extent - missing[axis];
  return missing[axis] == 0 ? value : b.concat({value, b.splat(missing, elementOf(value), 0)}, axis);
}

Value heddle::onnx::appendAt(Emitter &b, Value past, Value now, Value before, int64_t keys) {
  Type element = elementOf(now), i64 = b.getI64Type();
  int64_t batch = shapeOf(now)[0], positions = shapeOf(now)[1];
  past = padTo(b, past, 2, keys);
  // Among the new positions: of the past where it is negative.
  Value position = b.integers({1, keys}, llvm::to_vector(llvm::seq<int64_t>(0, keys)));
  Value place = b.sub(position, b.reshape(before, {batch, 1}));
  SmallVector<AffineExpr> placeDims{b.getAffineDimExpr(0), b.getAffineDimExpr(2)};
  AffineMap all = b.getMultiDimIdentityMap(4);
  SmallVector<AffineMap> maps{AffineMap::get(4, 0, placeDims, b.getContext()), all, all};
  SmallVector<utils::IteratorType> iterators(4, utils::IteratorType::parallel);
  Value init = tensor::EmptyOp::create(b, shapeOf(past), element);
  auto body = [&](OpBuilder &builder, Location loc, ValueRange args) {
    ImplicitLocOpBuilder inner(loc, builder);
    auto number = [&](int64_t value) { return arith::ConstantOp::create(inner, inner.getIntegerAttr(i64, value)); };
    Value first = number(0), last = number(positions - 1);
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
