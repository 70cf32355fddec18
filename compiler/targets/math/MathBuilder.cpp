//===- MathBuilder.cpp - math functions as arithmetic ---------------------===//

#include "MathBuilder.h"

using namespace mlir;
using namespace heddle;

bool heddle::isF32OrF64(Operation *op) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  return element.isF32() || element.isF64();
}

MathBuilder::MathBuilder(Operation *op, PatternRewriter &rewriter)
    : ImplicitLocOpBuilder(op->getLoc(), rewriter), type(op->getResult(0).getType()),
      width(getElementTypeOrSelf(type).getIntOrFloatBitWidth()) {
  bits = getIntegerType(width);
  if (auto vector = dyn_cast<VectorType>(type))
    bits = vector.clone(bits);
}

/// Returns a constant of type `type`: the scalar `value`, or a vector with this value in each lane.
static Value constant(ImplicitLocOpBuilder &b, Type type, TypedAttr value) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    value = DenseElementsAttr::get(shaped, Attribute(value));
  return arith::ConstantOp::create(b, value);
}

Value MathBuilder::number(double value) {
  return constant(*this, type, getFloatAttr(getElementTypeOrSelf(type), value));
}

Value MathBuilder::integer(int64_t value) {
  // Truncate the value to the width: a word of 32 bits whose highest bit is set may be passed as a negative number or
  // as a positive one.
  auto element = cast<IntegerType>(getElementTypeOrSelf(bits));
  return constant(*this, bits, IntegerAttr::get(element, APInt(element.getWidth(), value, false, true)));
}

int64_t MathBuilder::wordOf(double value) const {
  return isWide() ? llvm::bit_cast<int64_t>(value) : llvm::bit_cast<int32_t>(static_cast<float>(value));
}

Value MathBuilder::polynomial(Value x, ArrayRef<double> coefficients) {
  Value p = number(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    p = fma(p, x, number(coefficient));
  return p;
}

Value MathBuilder::noLessThan(double lowest, Value x) {
  return select(compare(arith::CmpFPredicate::OLT, x, lowest), number(lowest), x);
}

Value MathBuilder::upTo(double end, Value x) {
  return noLessThan(-end, select(compare(arith::CmpFPredicate::OGT, x, end), number(end), x));
}
