//===- EmitArith.cpp - arithmetic on tensors ------------------------------===//

#include "Emit.h"

#include "sizes/EmitSizes.h"
#include "sizes/FloatsOfSizes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

/// Folds an operation on constants that createOrFold did not fold, because some operations fold only scalars. Folds
/// each element by itself, or only a single element if all operands are splats. If the operands are not all constants,
/// or if the result is too large, tries `foldSizes` instead. Returns `value` if it cannot be folded.
Value Emitter::foldElements(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || isa<arith::ConstantOp>(op) || !isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
      op->getNextNode() || !value.use_empty())
    return value;
  SmallVector<DenseElementsAttr> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(constantOf(operand));
    if (!operands.back())
      return foldSizes(value);
  }
  auto type = cast<RankedTensorType>(value.getType());
  bool splat = llvm::all_of(operands, [](DenseElementsAttr elements) { return elements.isSplat(); });
  if (!splat && !canFold(shapeOf(value)))
    return foldSizes(value);
  int64_t count = splat ? 1 : type.getNumElements();
  if (type.getNumElements() == 0)
    return value;
  SmallVector<Attribute> results;
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<Attribute> scalars;
    for (DenseElementsAttr elements : operands)
      scalars.push_back(elements.isSplat() ? elements.getSplatValue<Attribute>()
                                           : elements.getValues<Attribute>()[i]);
    SmallVector<OpFoldResult> folded;
    if (failed(op->fold(scalars, folded)) || folded.size() != 1)
      return value;
    auto scalar = dyn_cast_if_present<TypedAttr>(dyn_cast<Attribute>(folded.front()));
    if (!scalar || scalar.getType() != type.getElementType())
      return value;
    results.push_back(scalar);
  }
  op->erase();
  return constant(DenseElementsAttr::get(type, results));
}

/// Folds an integer operation on expressions of sizes, or an operation that converts or compares floats computed from
/// sizes, to expressions of sizes. Returns `value` if it cannot be folded.
Value Emitter::foldSizes(Value value) {
  Operation *op = value.getDefiningOp();
  SmallVector<SizedTensor> operands;
  for (Value operand : op->getOperands())
    if (std::optional<SizedTensor> sized = SizedTensor::of(operand))
      operands.push_back(std::move(*sized));
  bool areSized = operands.size() == op->getNumOperands();
  std::optional<SizedTensor> result = areSized ? SizedTensor::elementwise(op, operands) : integersOfFloats(op);
  if (!result)
    return value;
  op->erase();
  return result->emit(*this);
}

Value Emitter::index(const Dim &dim) {
  if (std::optional<int64_t> number = dim.number())
    return arith::ConstantIndexOp::create(*this, *number);
  return emitSize(*this, dim.asExpression());
}

std::pair<Value, Value> Emitter::together(Value a, Value b) {
  Shape shape = *broadcastShapes(shapeOf(a), shapeOf(b));
  bool fold = constantOf(a) && constantOf(b);
  return {broadcast(a, shape, fold), broadcast(b, shape, fold)};
}

Value Emitter::add(Value a, Value b) { return binary<arith::AddFOp, arith::AddIOp>(a, b); }
Value Emitter::sub(Value a, Value b) { return binary<arith::SubFOp, arith::SubIOp>(a, b); }
Value Emitter::mul(Value a, Value b) { return binary<arith::MulFOp, arith::MulIOp>(a, b); }
Value Emitter::div(Value a, Value b) { return binary<arith::DivFOp, arith::DivSIOp>(a, b); }
Value Emitter::maximum(Value a, Value b) { return binary<arith::MaximumFOp, arith::MaxSIOp>(a, b); }
Value Emitter::minimum(Value a, Value b) { return binary<arith::MinimumFOp, arith::MinSIOp>(a, b); }

Value Emitter::select(Value condition, Value a, Value b) {
  Shape shape = *broadcastShapes(*broadcastShapes(shapeOf(a), shapeOf(b)), shapeOf(condition));
  bool fold = constantOf(condition) && constantOf(a) && constantOf(b);
  condition = broadcast(condition, shape, fold);
  return elementwise<arith::SelectOp>(condition, broadcast(a, shape, fold), broadcast(b, shape, fold));
}

/// Converts floats to integers by truncation towards zero. A float that the integer type cannot represent becomes the
/// smallest integer, as on x86. ONNX does not define this result, and exported models do not depend on it.
static DenseElementsAttr foldToInteger(DenseElementsAttr elements, RankedTensorType type) {
  unsigned width = type.getElementTypeBitWidth();
  auto convert = [width](const APFloat &value) {
    APSInt result(width, /*isUnsigned=*/false);
    bool exact;
    if (value.convertToInteger(result, APFloat::rmTowardZero, &exact) & APFloat::opInvalidOp)
      return APInt::getSignedMinValue(width);
    return static_cast<APInt &>(result);
  };
  if (elements.isSplat())
    return DenseElementsAttr::get(type, convert(elements.getSplatValue<APFloat>()));
  SmallVector<APInt> results;
  for (const APFloat &value : elements.getValues<APFloat>())
    results.push_back(convert(value));
  return DenseElementsAttr::get(type, results);
}

Value Emitter::castTo(Value value, Type element) {
  Type from = elementOf(value);
  if (from == element)
    return value;
  auto type = typeOf(shapeOf(value), element);
  bool toFloat = isa<FloatType>(element), fromFloat = isa<FloatType>(from);
  if (element.isInteger(1)) {
    Value zero = splatLike(value, 0);
    if (fromFloat) // NaN becomes true
      return elementwise<arith::CmpFOp>(arith::CmpFPredicate::UNE, value, zero);
    return elementwise<arith::CmpIOp>(arith::CmpIPredicate::ne, value, zero);
  }
  unsigned fromWidth = from.getIntOrFloatBitWidth(), width = element.getIntOrFloatBitWidth();
  if (fromFloat && toFloat) {
    if (fromWidth == width) // f16 and bf16 cannot represent each other's values
      return castTo(castTo(value, getF32Type()), element);
    return fromWidth < width ? elementwise<arith::ExtFOp>(type, value)
                             : elementwise<arith::TruncFOp>(type, value);
  }
  if (DenseElementsAttr elements = fromFloat ? constantOf(value) : nullptr)
    if (elements.isSplat() || canFold(shapeOf(value)))
      return constant(foldToInteger(elements, type));
  if (fromFloat)
    return elementwise<arith::FPToSIOp>(type, value);
  if (from.isInteger(1))
    return toFloat ? elementwise<arith::UIToFPOp>(type, value) : elementwise<arith::ExtUIOp>(type, value);
  if (toFloat)
    return elementwise<arith::SIToFPOp>(type, value);
  return fromWidth < width ? elementwise<arith::ExtSIOp>(type, value)
                           : elementwise<arith::TruncIOp>(type, value);
}

Value Emitter::softmax(Value value, int64_t axis) {
  Value init = empty(shapeOf(value), elementOf(value));
  return linalg::SoftmaxOp::create(*this, TypeRange(value.getType()), value, init, static_cast<uint64_t>(axis))
      ->getResult(0);
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
