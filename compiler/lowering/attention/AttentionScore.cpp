//===- AttentionScore.cpp - the score of a query and a key ----------------===//

#include "AttentionScore.h"
#include "Emit.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

std::optional<arith::CmpFPredicate> heddle::sumOfZeros(EmptyRow emptyRow) {
  // A sum is 0 only if all scores are -inf; otherwise the largest score adds exp(0), or more than 1/2 if attention
  // rounds.
  if (emptyRow == EmptyRow::Nan)
    return std::nullopt;
  return emptyRow == EmptyRow::Zeros ? arith::CmpFPredicate::OEQ : arith::CmpFPredicate::UEQ;
}

/// Returns the factor by which scores are multiplied: log2(e) if scores are f32 and the scale (or the softcap) times
/// log2(e) is finite in f32, and otherwise 1. It is also 1 if there is a bias or a region `score`: a bias of the lowest
/// finite number would overflow, and the region gets scores as the op defines them.
static double unitOfScores(AttentionOp op) {
  bool isF32 = getElementTypeOrSelf(op.getQuery()).isF32() && op.getSoftmaxPrecision() == SoftmaxPrecision::F32;
  double unit = isF32 && !op.getBias() && !op.hasScore() ? llvm::numbers::log2e : 1.0;
  double factor = op.getSoftcap() ? op.getSoftcap()->convertToDouble() : op.getScaleValue();
  return std::abs(factor) * unit > std::numeric_limits<float>::max() ? 1.0 : unit;
}

/// Returns the score of masked keys, multiplied by `unit`. A finite score stays finite.
static double maskedScoreInUnit(AttentionOp op, double unit) {
  double score = op.getMaskedScoreValue(), largest = std::numeric_limits<float>::max();
  return std::isfinite(score) ? std::clamp(score * unit, -largest, largest) : score;
}

AttentionScore::AttentionScore(AttentionOp op, bool inRegisters, bool approximate)
    : op(op), inRegisters(inRegisters), approximate(approximate), unit(unitOfScores(op)) {}

/// Emits left * right. If scores remain in registers, the product is the result of a multiply-add with 0, so that the
/// backend does not fuse a later subtraction with it: the largest score minus itself must be 0, but a fused subtraction
/// would yield the rounding error of the score, which is large for large scores.
Value AttentionScore::emitProduct(OpBuilder &b, Location loc, Value left, double right) const {
  Type type = left.getType();
  Value factor = emitFloat(b, loc, type, right);
  if (!inRegisters)
    return arith::MulFOp::create(b, loc, left, factor);
  return math::FmaOp::create(b, loc, left, factor, emitFloat(b, loc, type, 0.0));
}

double AttentionScore::getProductScale() const { return op.getScaleValue() * (op.getSoftcap() ? 1.0 : unit); }

bool AttentionScore::isScaledProduct() const {
  return !op.getSoftcap() && !op.getBias() && !op.getMask() && !op.hasScore() &&
         static_cast<float>(op.getScaleValue() * unit) > 0;
}

Value AttentionScore::emitBound(OpBuilder &b, Location loc, Value product) const {
  auto type = cast<FloatType>(product.getType());
  Value score = emitProduct(b, loc, product, op.getScaleValue() * unit);
  // The distance between neighbouring numbers near 1: twice the largest relative rounding error.
  Value distance = emitFloat(b, loc, type, std::ldexp(1.0, 1 - int(type.getFPMantissaWidth())));
  // The size of -inf is replaced by the largest number, since inf * distance - inf would be NaN.
  Value largest = emitFloat(b, loc, type, APFloat::getLargest(type.getFloatSemantics()).convertToDouble());
  Value size = arith::MinNumFOp::create(b, loc, math::AbsFOp::create(b, loc, score), largest);
  return math::FmaOp::create(b, loc, size, distance, score);
}

Value AttentionScore::emitWeightOfProduct(OpBuilder &b, Location loc, Value product, Value shift) const {
  Value factor = emitFloat(b, loc, product.getType(), op.getScaleValue() * unit);
  Value difference = math::FmaOp::create(b, loc, product, factor, arith::NegFOp::create(b, loc, shift));
  return emitExponential(b, loc, difference);
}

Value AttentionScore::emit(OpBuilder &b, Location loc, Value product, Value bias, Value mask,
                           llvm::function_ref<Value(Value)> change) const {
  return emitChanged(b, loc, emitProduct(b, loc, product, getProductScale()), bias, mask, change);
}

Value AttentionScore::emitChanged(OpBuilder &b, Location loc, Value score, Value bias, Value mask,
                                  llvm::function_ref<Value(Value)> change) const {
  auto real = [&](double number) { return emitFloat(b, loc, score.getType(), number); };
  if (op.getSoftcap()) {
    double cap = op.getSoftcap()->convertToDouble();
    score = arith::DivFOp::create(b, loc, score, real(cap));
    score = math::TanhOp::create(b, loc, score);
    score = emitProduct(b, loc, score, cap * unit);
  }
  if (bias) {
    bias = convertScalarToDtype(b, loc, bias, score.getType(), /*isUnsignedCast=*/false);
    score = arith::AddFOp::create(b, loc, score, bias);
  }
  score = change(score);
  if (!mask)
    return score;
  Value zero = arith::ConstantIntOp::create(b, loc, mask.getType(), 0);
  Value isKept = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, mask, zero);
  return arith::SelectOp::create(b, loc, isKept, score, real(maskedScoreInUnit(op, unit)));
}

Value AttentionScore::emitPower(OpBuilder &b, Location loc, Value maximum) const {
  if (!op.getRounding())
    return maximum;
  auto number = [&](double value) { return emitFloat(b, loc, maximum.getType(), value); };
  bool ofTwo = unit != 1.0;
  Value power = ofTwo ? maximum : arith::MulFOp::create(b, loc, maximum, number(llvm::numbers::log2e));
  power = math::CeilOp::create(b, loc, power);
  if (!ofTwo) { // With rounding, the product below may be less than the maximum.
    power = arith::MulFOp::create(b, loc, power, number(llvm::numbers::ln2));
    Value isLarger = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, power, maximum);
    power = arith::SelectOp::create(b, loc, isLarger, power, maximum);
  }
  Value isSmall = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, math::AbsFOp::create(b, loc, maximum),
                                        number(AttentionOp::largestPower * unit));
  return arith::SelectOp::create(b, loc, isSmall, power, maximum);
}

Value AttentionScore::emitMaximum(OpBuilder &b, Location loc, Value largest, Value before) const {
  if (!op.getRounding())
    return arith::MaxNumFOp::create(b, loc, before, largest);
  Value isNew = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, largest, before);
  return arith::SelectOp::create(b, loc, isNew, emitPower(b, loc, largest), before);
}

Value AttentionScore::emitShift(OpBuilder &b, Location loc, Value maximum) const {
  auto real = [&](double number) { return emitFloat(b, loc, maximum.getType(), number); };
  Value isRemoved = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, maximum, real(-INFINITY));
  Value shift = arith::SelectOp::create(b, loc, isRemoved, real(0.0), maximum);
  if (!inRegisters)
    return shift;
  // If the shift is inf, `shift` - `shift` is NaN. Without this term, weights would not always be NaN: in a
  // multiply-add, the product does not overflow to inf before inf is subtracted.
  return arith::AddFOp::create(b, loc, shift, arith::SubFOp::create(b, loc, shift, shift));
}

Value AttentionScore::emitWeight(OpBuilder &b, Location loc, Value score, Value shift) const {
  return emitExponential(b, loc, arith::SubFOp::create(b, loc, score, shift));
}

/// Emits the exponential of the difference of a score and a shift.
Value AttentionScore::emitExponential(OpBuilder &b, Location loc, Value difference) const {
  // The error of the approximation of 2^x by an instruction is much smaller than that of the rounding.
  if (approximate && op.getRounding() && unit != 1.0)
    return math::Exp2Op::create(b, loc, difference, arith::FastMathFlags::afn);
  return emitExpOfNonPositive(b, loc, difference, /*ofTwo=*/unit != 1.0);
}

Value AttentionScore::emitScaled(OpBuilder &b, Location loc, Value weight) const {
  double scale = op.getRounding() ? AttentionOp::getFactorScale(*op.getRounding()) : 1.0;
  return scale == 1.0 ? weight : arith::MulFOp::create(b, loc, weight, emitFloat(b, loc, weight.getType(), scale));
}

Value AttentionScore::emitFactor(OpBuilder &b, Location loc, Value number) const {
  std::optional<Type> rounding = op.getRounding();
  if (!rounding)
    return number;
  Value rounded = arith::TruncFOp::create(b, loc, *rounding, number);
  return arith::ExtFOp::create(b, loc, number.getType(), rounded);
}

Value AttentionScore::emitInverse(OpBuilder &b, Location loc, Value total) const {
  auto real = [&](double number) { return emitFloat(b, loc, total.getType(), number); };
  Value inverse = arith::DivFOp::create(b, loc, real(1.0), total);
  std::optional<arith::CmpFPredicate> yieldsZeros = sumOfZeros(op.getEmptyRow());
  if (!yieldsZeros)
    return inverse;
  Value isNone = arith::CmpFOp::create(b, loc, *yieldsZeros, total, real(0.0));
  return arith::SelectOp::create(b, loc, isNone, real(0.0), inverse);
}

Value AttentionScore::emitMark(OpBuilder &b, Location loc, Value largest, Value total) const {
  auto real = [&](double number) { return emitFloat(b, loc, total.getType(), number); };
  Value isZero = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, total, real(0.0));
  Value seesKeys = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, largest, real(-INFINITY));
  Value isLost = arith::AndIOp::create(b, loc, isZero, seesKeys);
  return arith::SelectOp::create(b, loc, isLost, real(NAN), real(0.0));
}

Value AttentionScore::emitResult(OpBuilder &b, Location loc, Value sum, Value inverse) const {
  Value result = arith::MulFOp::create(b, loc, sum, inverse);
  if (!sumOfZeros(op.getEmptyRow()))
    return result;
  Value zero = emitFloat(b, loc, sum.getType(), 0.0);
  Value isNone = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, inverse, zero);
  return arith::SelectOp::create(b, loc, isNone, zero, result);
}
