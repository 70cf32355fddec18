//===- RowSteps.cpp - rows as integers, as #heddle.row_rounding says ------===//

#include "RoundedRows.h"
#include "RowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;

static constexpr double leastRange = 0x1p-100;

StoredIntegers::StoredIntegers(RowRoundingAttr rounding, int64_t shift) : shift(shift) {
  bool hasStep = bool(rounding.getStep());
  least = double(shift) + (rounding.isUnsigned() ? 0 : hasStep ? -128 : -127);
  most = double(shift) + (rounding.isUnsigned() ? 255 : 127);
}

/// x, or `least` where it is less or a NaN: one instruction.
static Value emitAtLeast(OpBuilder &b, Location loc, Value x, double least) {
  Value bound = emitFloat(b, loc, x.getType(), least);
  Value above = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, x, bound);
  return arith::SelectOp::create(b, loc, above, x, bound);
}
static Value emitAtMost(OpBuilder &b, Location loc, Value x, double most) {
  Value bound = emitFloat(b, loc, x.getType(), most);
  Value below = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, bound);
  return arith::SelectOp::create(b, loc, below, x, bound);
}

/// step, and zero if there is one, of the extrema of a row; `odd` is NaN where one of its elements is no finite number.
static SmallVector<Value> emitStep(OpBuilder &b, Location loc, Value low, Value high, Value odd) {
  Type type = high.getType();
  Value range = low ? Value(arith::SubFOp::create(b, loc, high, low)) : high;
  // 0 x range is NaN where the range is infinite.
  Value nothing = arith::MulFOp::create(b, loc, range, emitFloat(b, loc, type, 0.0));
  odd = arith::AddFOp::create(b, loc, odd, nothing);
  Value positive = emitAtLeast(b, loc, range, leastRange);
  Value step = arith::DivFOp::create(b, loc, positive, emitFloat(b, loc, type, low ? 255.0 : 127.0));
  Value kept = arith::AddFOp::create(b, loc, step, odd);
  if (!low)
    return {kept};
  Value quotient = arith::DivFOp::create(b, loc, arith::NegFOp::create(b, loc, low), step);
  Value zero = math::RoundEvenOp::create(b, loc, quotient);
  return {kept, emitAtMost(b, loc, emitAtLeast(b, loc, zero, 0.0), 255.0)};
}

RowSteps heddle::emitRowSteps(OpBuilder &b, Location loc, Value x, bool isUnsigned) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t rows = type.getDimSize(0);
  Type element = type.getElementType();
  auto rowOf = [&](double start) { return RowInput{emitFilled(b, loc, rows, element, start), RowAccess::Row}; };
  SmallVector<RowInput> extrema = {rowOf(-0.0), rowOf(0.0)};
  if (isUnsigned)
    extrema.push_back(rowOf(0.0));
  ValueRange found = emitRowOp(b, loc, {{x, RowAccess::Tile}}, extrema, [&](OpBuilder &body, ValueRange arguments) {
    Value element = arguments[0];
    Value nothing = arith::MulFOp::create(body, loc, element, emitFloat(body, loc, element.getType(), 0.0));
    Value odd = arith::AddFOp::create(body, loc, arguments[1], nothing);
    Value upper = isUnsigned ? element : Value(math::AbsFOp::create(body, loc, element));
    Value high = arith::MaxNumFOp::create(body, loc, upper, arguments[2]);
    if (!isUnsigned)
      return SmallVector<Value>{odd, high};
    return SmallVector<Value>{odd, high, arith::MinNumFOp::create(body, loc, element, arguments[3])};
  });

  SmallVector<Value> targets(isUnsigned ? 2 : 1);
  for (Value &target : targets)
    target = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>{rows}, element);
  SmallVector<AffineMap> maps(found.size() + targets.size(), b.getMultiDimIdentityMap(1));
  auto steps = linalg::GenericOp::create(
      b, loc, ValueRange(targets).getTypes(), found, targets, maps, utils::IteratorType::parallel,
      [&](OpBuilder &body, Location, ValueRange arguments) {
        Value low = isUnsigned ? arguments[2] : Value();
        linalg::YieldOp::create(body, loc, emitStep(body, loc, low, arguments[1], arguments[0]));
      });
  return {steps.getResult(0), isUnsigned ? steps.getResult(1) : Value()};
}

Value heddle::emitIntegers(OpBuilder &b, Location loc, Value x, RowSteps steps, const StoredIntegers &stored,
                           Value target) {
  SmallVector<RowInput> inputs = {{x, RowAccess::Tile}, {steps.step, RowAccess::Row}};
  if (steps.zero)
    inputs.push_back({steps.zero, RowAccess::Row});
  bool standsFor = getElementTypeOrSelf(target).isF32();
  return emitRowOp(b, loc, inputs, {{target, RowAccess::Tile}}, [&](OpBuilder &body, ValueRange arguments) {
    Value quotient = arith::DivFOp::create(body, loc, arguments[0], arguments[1]);
    Value q = math::RoundEvenOp::create(body, loc, quotient);
    if (steps.zero)
      q = arith::AddFOp::create(body, loc, q, arguments[2]);
    if (stored.shift)
      q = arith::AddFOp::create(body, loc, q, emitFloat(body, loc, q.getType(), double(stored.shift)));
    q = emitAtMost(body, loc, emitAtLeast(body, loc, q, stored.least), stored.most);
    if (standsFor) {
      Value number = steps.zero ? Value(arith::SubFOp::create(body, loc, q, arguments[2])) : q;
      return SmallVector<Value>{arith::MulFOp::create(body, loc, number, arguments[1])};
    }
    Value integer = arith::FPToSIOp::create(body, loc, body.getI32Type(), q);
    return SmallVector<Value>{arith::TruncIOp::create(body, loc, body.getI8Type(), integer)};
  })[0];
}
