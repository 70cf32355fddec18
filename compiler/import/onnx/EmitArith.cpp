//===- EmitArith.cpp - arithmetic on tensors ------------------------------===//

#include "Emit.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

std::pair<Value, Value> Emitter::together(Value a, Value b) {
  Shape shape = *broadcastShapes(shapeOf(a), shapeOf(b));
  bool fold = constantOf(a) && constantOf(b);
  return {broadcast(a, shape, fold), broadcast(b, shape, fold)};
}

Value Emitter::add(Value a, Value b) { return binary<arith::AddFOp, arith::AddIOp>(a, b); }
Value Emitter::sub(Value a, Value b) { return binary<arith::SubFOp, arith::SubIOp>(a, b); }
Value Emitter::mul(Value a, Value b) { return binary<arith::MulFOp, arith::MulIOp>(a, b); }
Value Emitter::divFloat(Value a, Value b) { return binary<arith::DivFOp, arith::DivSIOp>(a, b); }
Value Emitter::maximum(Value a, Value b) { return binary<arith::MaximumFOp, arith::MaxSIOp>(a, b); }
Value Emitter::minimum(Value a, Value b) { return binary<arith::MinimumFOp, arith::MinSIOp>(a, b); }

Value Emitter::select(Value condition, Value a, Value b) {
  Shape shape = *broadcastShapes(*broadcastShapes(shapeOf(a), shapeOf(b)), shapeOf(condition));
  bool fold = constantOf(condition) && constantOf(a) && constantOf(b);
  condition = broadcast(condition, shape, fold);
  return createOrFold<arith::SelectOp>(condition, broadcast(a, shape, fold), broadcast(b, shape, fold));
}

Value Emitter::castTo(Value value, Type element) {
  Type from = elementOf(value);
  if (from == element)
    return value;
  Type type = RankedTensorType::get(shapeOf(value), element);
  bool toFloat = isa<FloatType>(element), fromFloat = isa<FloatType>(from);
  if (element.isInteger(1)) {
    Value zero = splatLike(value, 0);
    if (fromFloat) // NaN counts as true
      return createOrFold<arith::CmpFOp>(arith::CmpFPredicate::UNE, value, zero);
    return createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ne, value, zero);
  }
  unsigned fromWidth = from.getIntOrFloatBitWidth(), width = element.getIntOrFloatBitWidth();
  if (fromFloat && toFloat) {
    if (fromWidth == width) // f16 and bf16: neither holds the other
      return castTo(castTo(value, getF32Type()), element);
    return fromWidth < width ? createOrFold<arith::ExtFOp>(type, value)
                             : createOrFold<arith::TruncFOp>(type, value);
  }
  if (fromFloat)
    return createOrFold<arith::FPToSIOp>(type, value);
  if (from.isInteger(1))
    return toFloat ? createOrFold<arith::UIToFPOp>(type, value) : createOrFold<arith::ExtUIOp>(type, value);
  if (toFloat)
    return createOrFold<arith::SIToFPOp>(type, value);
  return fromWidth < width ? createOrFold<arith::ExtSIOp>(type, value)
                           : createOrFold<arith::TruncIOp>(type, value);
}

Value Emitter::matmul(Value a, Value b) {
  Shape shape(shapeOf(a));
  shape.back() = shapeOf(b).back();
  Value zero = arith::ConstantOp::create(*this, getZeroAttr(elementOf(a)));
  Value init = linalg::FillOp::create(*this, zero, empty(shape, elementOf(a))).getResult(0);
  if (shape.size() == 2)
    return linalg::MatmulOp::create(*this, ValueRange{a, b}, ValueRange{init}).getResult(0);
  return linalg::BatchMatmulOp::create(*this, ValueRange{a, b}, ValueRange{init}).getResult(0);
}
