//===- Binary.cpp - arithmetic of tensors ---------------------------------===//

#include "OpTable.h"
#include "Quantization.h"

#include "sizes/SizeScope.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

/// Emits an error unless all operands are present and have one numeric element type and a common broadcast shape.
LogicalResult checkOperands(NodeContext &n) {
  for (Value value : n.operands())
    if (!value)
      return n.error() << "one of the inputs is missing";
  for (Value value : n.operands())
    if (elementOf(value).isInteger(1))
      return n.error() << "arithmetic on bool elements is not supported";
  if (failed(n.requireSameElements(n.operands())))
    return failure();
  return n.requireBroadcast(n.operands());
}

using Combine = Value (Emitter::*)(Value, Value);

template <Combine combine>
LogicalResult convertBinary(NodeContext &n) {
  if (failed(checkOperands(n)))
    return failure();
  return n.yield((n.b.*combine)(n.in(0), n.in(1)));
}

/// If the node multiplies a product of integers by the scales of that product's operands, emits one linear layer
/// instead. If an operand of the node is an activation scale, records both factors of the result for the conversion of
/// a later node.
LogicalResult convertMul(NodeContext &n) {
  if (failed(checkOperands(n)))
    return failure();
  Value a = n.in(0), b = n.in(1);
  for (auto [product, scale] : {std::pair(a, b), std::pair(b, a)})
    if (Value layer = scaledProduct(n, product, scale))
      return n.yield(layer);
  Value result = n.b.mul(a, b);
  SmallIntegers &small = n.model.small;
  for (auto [step, other] : {std::pair(a, b), std::pair(b, a)})
    if (small.steps.contains(step))
      small.scales[result] = {step, other};
  return n.yield(result);
}

/// Converts Max, Min and Sum, which have any number of operands.
template <Combine combine>
LogicalResult convertVariadic(NodeContext &n) {
  if (failed(checkOperands(n)))
    return failure();
  Value result = n.in(0);
  for (Value operand : n.operands().drop_front())
    result = (n.b.*combine)(result, operand);
  return n.yield(result);
}

LogicalResult convertMean(NodeContext &n) {
  if (failed(checkOperands(n)) || failed(n.requireFloat(n.in(0))))
    return failure();
  Value sum = n.in(0);
  for (Value operand : n.operands().drop_front())
    sum = n.b.add(sum, operand);
  return n.yield(n.b.div(sum, n.b.splatLike(sum, n.operands().size())));
}

/// Emits the error that an integer divisor may be zero. `divisor` is nothing if the elements of the divisor differ.
LogicalResult refuseZero(NodeContext &n, const std::optional<Dim> &divisor) {
  InFlightDiagnostic error = n.error() << "integer division by ";
  if (!divisor)
    return error << "a tensor with an element that may be zero";
  return error << "'" << divisor->text() << "', which may be zero"
               << heddle::SizeScope::current()->exampleOfZero(divisor->asExpression());
}

/// Emits an error unless the integer divisor is known at import or computed from sizes, and is valid. Integer division
/// traps if the divisor is 0 or if the quotient overflows.
LogicalResult checkDivisor(NodeContext &n) {
  if (std::optional<heddle::SizedTensor> sized = heddle::SizedTensor::of(n.in(1))) {
    std::optional<heddle::SizeBounds> bounds = sized->bounds();
    if (!bounds || (bounds->low <= 0 && bounds->high >= 0))
      return refuseZero(n, sized->splat());
    if (bounds->low <= -1 && bounds->high >= -1 && !heddle::SizedTensor::of(n.in(0)))
      return n.error() << "integer division by a value that may be -1, which may overflow";
    return success();
  }
  std::optional<Numbers> divisor = Emitter::integersOf(n.in(1));
  if (!divisor)
    return n.error() << "integer division by a value that is not known at import is not supported";
  if (llvm::is_contained(*divisor, 0))
    return n.error() << "integer division by zero";
  if (llvm::is_contained(*divisor, -1) && !Emitter::constantOf(n.in(0)))
    return n.error() << "integer division by -1, which may overflow";
  return success();
}

LogicalResult convertDiv(NodeContext &n) {
  if (failed(checkOperands(n)) || (!isFloat(n.in(0)) && failed(checkDivisor(n))))
    return failure();
  return n.yield(n.b.div(n.in(0), n.in(1)));
}

/// If both operands are integers that are expressions of sizes, returns the remainder with the divisor's sign. Returns
/// null otherwise, and if the quotient is not an expression of sizes.
Value modulo(Emitter &b, Value x, Value y) {
  if (!heddle::SizedTensor::of(x) || !heddle::SizedTensor::of(y))
    return {};
  Value quotient = b.elementwise<arith::FloorDivSIOp>(x, y);
  if (heddle::SizedTensor::of(quotient))
    return b.sub(x, b.mul(y, quotient));
  quotient.getDefiningOp()->erase();
  return {};
}

/// Converts Mod. With fmod = 0 (integers only), the remainder has the sign of the divisor; with fmod = 1, it has the
/// sign of the dividend.
LogicalResult convertMod(NodeContext &n) {
  bool fmod = n.intAttr("fmod", 0) != 0;
  if (failed(checkOperands(n)))
    return failure();
  auto [a, b] = n.b.together(n.in(0), n.in(1));
  if (isFloat(a)) {
    if (!fmod)
      return n.error() << "expected integers, because fmod is 0, found " << typeText(n.in(0));
    return n.yield(n.b.elementwise<arith::RemFOp>(a, b));
  }
  if (failed(checkDivisor(n)))
    return failure();
  if (!fmod)
    if (Value rest = modulo(n.b, a, b))
      return n.yield(rest);
  Value rest = n.b.elementwise<arith::RemSIOp>(a, b);
  if (fmod)
    return n.yield(rest);
  // A remainder with the wrong sign is corrected by adding the divisor.
  Value zero = n.b.splatLike(rest, 0);
  auto negative = [&](Value x) { return n.b.elementwise<arith::CmpIOp>(arith::CmpIPredicate::slt, x, zero); };
  Value differs = n.b.elementwise<arith::XOrIOp>(negative(rest), negative(b));
  Value nonzero = n.b.elementwise<arith::CmpIOp>(arith::CmpIPredicate::ne, rest, zero);
  Value wrong = n.b.elementwise<arith::AndIOp>(differs, nonzero);
  return n.yield(n.b.select(wrong, n.b.add(rest, b), rest));
}

/// Computes x^exponent with multiplications. The exponent must be at least 1.
Value power(Emitter &b, Value x, int64_t exponent) {
  Value result;
  for (Value square = x;; square = b.mul(square, square)) {
    if (exponent & 1)
      result = result ? b.mul(result, square) : square;
    exponent >>= 1;
    if (exponent == 0)
      return result;
  }
}

/// Emits a power without math.powf. For floats, the exponent must be 0.5 or an integer from -16 to 16; for integers, it
/// must be an integer from 0 to 16. Returns null for other exponents.
Value cheapPower(Emitter &b, Value x, double exponent) {
  bool whole = exponent == static_cast<int64_t>(exponent);
  if (exponent == 0)
    return b.splatLike(x, 1);
  if (whole && exponent > 0 && exponent <= 16)
    return power(b, x, static_cast<int64_t>(exponent));
  if (!isFloat(x))
    return {};
  if (whole && exponent < 0 && exponent >= -16)
    return b.div(b.splatLike(x, 1), power(b, x, static_cast<int64_t>(-exponent)));
  if (exponent == 0.5) {
    // pow(-0, 0.5) is +0 and pow(-inf, 0.5) is inf, whereas sqrt returns -0 and NaN.
    Value infinity = b.splatLike(x, std::numeric_limits<double>::infinity());
    Value minusInfinity = b.splatLike(x, -std::numeric_limits<double>::infinity());
    Value root = b.elementwise<math::SqrtOp>(b.add(x, b.splatLike(x, 0)));
    Value isMinusInfinity = b.elementwise<arith::CmpFOp>(arith::CmpFPredicate::OEQ, x, minusInfinity);
    return b.select(isMinusInfinity, infinity, root);
  }
  return {};
}

LogicalResult convertPow(NodeContext &n) {
  Value x = n.in(0), exponent = n.in(1);
  FailureOr<Shape> shape = n.requireBroadcast({x, exponent});
  if (failed(shape))
    return failure();
  if (elementOf(x).isInteger(1) || elementOf(exponent).isInteger(1))
    return n.error() << "arithmetic on bool elements is not supported";
  if (std::optional<double> known = Emitter::splatOf(exponent))
    if (std::abs(*known) <= 16)
      if (Value result = cheapPower(n.b, n.b.broadcast(x, *shape), *known))
        return n.yield(result);
  if (!isFloat(x))
    return n.error() << "the exponent of a power of integers must be one integer from 0 to 16 that is known at import";
  exponent = n.b.castTo(exponent, elementOf(x));
  return n.yield(n.b.binary<math::PowFOp, math::IPowIOp>(x, exponent));
}

} // namespace

void heddle::onnx::addBinaryOps(OpTable &table) {
  table["Add"] = {convertBinary<&Emitter::add>, 2, 2};
  table["Sub"] = {convertBinary<&Emitter::sub>, 2, 2};
  table["Mul"] = {convertMul, 2, 2};
  table["Div"] = {convertDiv, 2, 2};
  table["Mod"] = {convertMod, 2, 2, 10};
  table["Pow"] = {convertPow, 2, 2};
  table["Max"] = {convertVariadic<&Emitter::maximum>, 1, variadic};
  table["Min"] = {convertVariadic<&Emitter::minimum>, 1, variadic};
  table["Sum"] = {convertVariadic<&Emitter::add>, 1, variadic};
  table["Mean"] = {convertMean, 1, variadic};
}
