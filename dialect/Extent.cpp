//===- Extent.cpp - symbolic lengths --------------------------------------===//

#include "Extent.h"
#include "Heddle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace heddle;

Extent::Extent(Value value)
    : placeholder(ShapedType::kDynamic), multiple(1), minimum(0), largest(INT64_MAX), atCall(value) {}

Extent::Extent(OpFoldResult index) : Extent(int64_t(0)) {
  if (auto value = dyn_cast<Value>(index))
    *this = Extent(value);
  else
    *this = Extent(*getConstantIntValue(index));
}

OpFoldResult Extent::emit(OpBuilder &b, Location loc) const {
  if (atCall)
    return atCall;
  if (isFixed())
    return b.getIndexAttr(placeholder);
  Value product;
  for (StringRef name : names) {
    Value size = SizeOp::create(b, loc, name);
    product = product ? Value(arith::MulIOp::create(b, loc, product, size)) : size;
  }
  if (multiple == 1)
    return product;
  Value constant = arith::ConstantIndexOp::create(b, loc, multiple);
  return Value(arith::MulIOp::create(b, loc, product, constant));
}

Value Extent::emitValue(OpBuilder &b, Location loc) const {
  OpFoldResult length = emit(b, loc);
  auto value = dyn_cast<Value>(length);
  return value ? value : Value(arith::ConstantIndexOp::create(b, loc, number()));
}

Extent Extent::emitOnce(OpBuilder &b, Location loc) const {
  if (isFixed())
    return *this;
  Extent made = cast<Value>(emit(b, loc));
  made.minimum = minimum;
  made.largest = largest;
  return made;
}
