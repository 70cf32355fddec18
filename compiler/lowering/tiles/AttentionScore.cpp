//===- AttentionScore.cpp - the score of a query and a key ----------------===//

#include "AttentionScore.h"
#include "Emit.h"
#include "Widened.h"

#include "attention/Attention.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// Emits left * right. A later subtraction is not fused with this product: the largest score minus itself must be 0, but
/// a fused subtraction would yield the rounding error of the score, which is large for large scores.
static Value emitProduct(OpBuilder &b, Location loc, Value left, double right) {
  Type type = left.getType();
  return math::FmaOp::create(b, loc, left, emitFloat(b, loc, type, right), emitFloat(b, loc, type, 0.0));
}

AttentionScore::AttentionScore(AttentionOp op) : op(op), unit(unitOfScores(op)) {}

bool AttentionScore::isScaledProduct() const {
  return !op.getSoftcap() && !op.getBias() && !op.getMask() && static_cast<float>(op.getScaleValue() * unit) > 0;
}

Value AttentionScore::emitScaled(OpBuilder &b, Location loc, Value product) const {
  return emitProduct(b, loc, product, op.getScaleValue() * unit);
}

Value AttentionScore::emit(OpBuilder &b, Location loc, Value product, Value bias, Value mask) const {
  auto real = [&](double number) { return emitFloat(b, loc, product.getType(), number); };
  double scale = op.getScaleValue() * (op.getSoftcap() ? 1.0 : unit);
  Value score = emitProduct(b, loc, product, scale);
  if (op.getSoftcap()) {
    double cap = op.getSoftcap()->convertToDouble();
    score = arith::DivFOp::create(b, loc, score, real(cap));
    score = math::TanhOp::create(b, loc, score);
    score = emitProduct(b, loc, score, cap * unit);
  }
  if (bias)
    score = arith::AddFOp::create(b, loc, score, emitExtended(b, loc, bias, score.getType()));
  if (!mask)
    return score;
  Value zero = arith::ConstantIntOp::create(b, loc, mask.getType(), 0);
  Value isKept = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, mask, zero);
  return arith::SelectOp::create(b, loc, isKept, score, real(maskedScoreInUnit(op, unit)));
}

Value AttentionScore::emitMaximum(OpBuilder &b, Location loc, Value largest, Value before) const {
  if (!op.getRounding())
    return arith::MaxNumFOp::create(b, loc, before, largest);
  TileBuilder t(loc, b);
  Value isNew = arith::CmpFOp::create(t, arith::CmpFPredicate::OGT, largest, before);
  return arith::SelectOp::create(t, isNew, emitPowerOf(t, op, unit, largest), before);
}

Value AttentionScore::emitShift(OpBuilder &b, Location loc, Value maximum) const {
  Value infinity = emitFloat(b, loc, maximum.getType(), -INFINITY), zero = emitFloat(b, loc, maximum.getType(), 0.0);
  Value isRemoved = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, maximum, infinity);
  Value shift = arith::SelectOp::create(b, loc, isRemoved, zero, maximum);
  // The subtraction of a product and inf may be one multiply-add, in which the product does not overflow to inf.
  return arith::AddFOp::create(b, loc, shift, arith::SubFOp::create(b, loc, shift, shift));
}

Value AttentionScore::emitWeight(OpBuilder &b, Location loc, Value score, Value shift) const {
  Value difference = arith::SubFOp::create(b, loc, score, shift);
  // Attention that rounds weights can use the approximation of 2^x by an instruction, whose error is much smaller.
  if (op.getRounding() && unit != 1.0)
    return math::Exp2Op::create(b, loc, difference, arith::FastMathFlags::afn);
  return emitExpOfNonPositive(b, loc, difference, /*ofTwo=*/unit != 1.0);
}

Value AttentionScore::emitFactor(OpBuilder &b, Location loc, Value number) const {
  std::optional<Type> rounding = op.getRounding();
  if (!rounding)
    return number;
  Value rounded = arith::TruncFOp::create(b, loc, *rounding, number);
  return arith::ExtFOp::create(b, loc, number.getType(), rounded);
}

Value AttentionScore::emitInverse(OpBuilder &b, Location loc, Value total) const {
  Value one = emitFloat(b, loc, total.getType(), 1.0), zero = emitFloat(b, loc, total.getType(), 0.0);
  Value inverse = arith::DivFOp::create(b, loc, one, total);
  std::optional<arith::CmpFPredicate> yieldsZeros = sumOfZeros(op.getEmptyRow());
  if (!yieldsZeros)
    return inverse;
  Value isNone = arith::CmpFOp::create(b, loc, *yieldsZeros, total, zero);
  return arith::SelectOp::create(b, loc, isNone, zero, inverse);
}

Value AttentionScore::emitResult(OpBuilder &b, Location loc, Value sum, Value inverse) const {
  Value result = arith::MulFOp::create(b, loc, sum, inverse);
  if (!sumOfZeros(op.getEmptyRow()))
    return result;
  Value zero = emitFloat(b, loc, sum.getType(), 0.0);
  Value isNone = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, inverse, zero);
  return arith::SelectOp::create(b, loc, isNone, zero, result);
}
