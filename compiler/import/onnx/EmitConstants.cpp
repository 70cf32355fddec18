//===- EmitConstants.cpp - tensors with known elements --------------------===//

#include "Emit.h"

#include "Heddle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

DenseElementsAttr Emitter::constantOf(Value value) {
  DenseElementsAttr elements;
  return matchPattern(value, m_Constant(&elements)) ? elements : DenseElementsAttr();
}

DenseElementsAttr Emitter::storedElements(Value value) const {
  if (DenseElementsAttr elements = constantOf(value))
    return elements;
  auto weight = value.getDefiningOp<WeightOp>();
  if (!weight || !weight.getRecipe().empty())
    return {};
  const StoredTensor *stored = weights.find(weight.getName());
  if (!stored || stored->type.getNumElements() > foldLimit)
    return {};
  return fromBytes(stored->type, stored->bytes);
}

std::optional<Numbers> Emitter::integersOf(Value value) {
  return heddle::integersOf(value);
}

std::optional<Shape> Emitter::dimsOf(Value value) {
  if (std::optional<Numbers> numbers = integersOf(value))
    return Shape(numbers->begin(), numbers->end());
  std::optional<SizedTensor> sized = SizedTensor::of(value);
  return sized ? sized->dims() : std::nullopt;
}

std::optional<Dim> Emitter::splatDimOf(Value value) {
  if (std::optional<SizedTensor> sized = SizedTensor::of(value))
    return sized->splat();
  DenseElementsAttr elements = constantOf(value);
  auto integer = dyn_cast<IntegerType>(elementOf(value));
  if (!elements || !integer || !elements.isSplat())
    return std::nullopt;
  APInt number = elements.getSplatValue<APInt>();
  return Dim(integer.getWidth() == 1 ? int64_t(number.getZExtValue()) : number.getSExtValue());
}

std::optional<double> Emitter::splatOf(Value value) {
  DenseElementsAttr elements = constantOf(value);
  if (!elements || !elements.isSplat())
    return std::nullopt;
  if (elementOf(value).isInteger(1))
    return elements.getSplatValue<bool>();
  if (!isFloat(value))
    return static_cast<double>(elements.getSplatValue<APInt>().getSExtValue());
  APFloat number = elements.getSplatValue<APFloat>();
  bool lossy;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
  return number.convertToDouble();
}

Value Emitter::constant(DenseElementsAttr elements) {
  if (!elements.isSplat())
    foldedBytes += *storedSize(cast<RankedTensorType>(elements.getType()));
  return arith::ConstantOp::create(*this, elements);
}

Value Emitter::splat(ArrayRef<Dim> shape, Type element, double value) {
  TypedAttr attribute;
  if (isa<FloatType>(element))
    attribute = getFloatAttr(element, value);
  else
    attribute = getIntegerAttr(element, static_cast<int64_t>(value));
  return constant(DenseElementsAttr::get(typeOf(shape, element), Attribute(attribute)));
}

Value Emitter::splatSize(Value like, const Dim &value) {
  if (std::optional<int64_t> number = value.number())
    return splatLike(like, double(*number));
  Value integer = SizedTensor::ofFormula(shapeOf(like), getI64Type(), value.asExpression()).emit(*this);
  return castTo(integer, elementOf(like));
}

Value Emitter::splatDim(Value like, const Dim &value) {
  if (std::optional<int64_t> number = value.number()) {
    auto type = cast<RankedTensorType>(like.getType());
    return constant(DenseElementsAttr::get(type, Attribute(getIntegerAttr(type.getElementType(), *number))));
  }
  auto element = cast<IntegerType>(elementOf(like));
  return SizedTensor::ofFormula(shapeOf(like), element, value.asExpression()).emit(*this);
}

Value Emitter::integers(ArrayRef<Dim> shape, ArrayRef<Dim> values) {
  if (std::optional<Numbers> numbers = fixedNumbers(values))
    return constant(DenseElementsAttr::get(typeOf(shape, getI64Type()), ArrayRef<int64_t>(*numbers)));
  SizedTensor list{Shape(shape), getI64Type(), {}};
  for (const Dim &value : values)
    list.elements.push_back(value.asExpression());
  return list.emit(*this);
}
