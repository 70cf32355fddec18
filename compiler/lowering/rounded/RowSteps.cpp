//===- RowSteps.cpp - rows as integers, as #heddle.row_rounding says ------===//

#include "RoundedRows.h"
#include "RowOps.h"

#include "Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;

static constexpr double leastRange = 0x1p-100;

StoredIntegers::StoredIntegers(RowRoundingAttr rounding, int64_t shift) : shift(shift) {
  bool isWhole = rounding.getStep() || rounding.getElement().isSignedInteger();
  least = double(shift) + (rounding.isUnsigned() ? 0 : isWhole ? -128 : -127);
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

/// How many steps there are from 0, or from the smallest element, to the largest.
static double levelsOf(RowRoundingAttr rounding) {
  return rounding.isUnsigned() ? 255.0 : rounding.getElement().isSignedInteger() ? 127.5 : 127.0;
}

/// step, and zero if there is one, of the extrema of a row; `odd` is NaN where one of its elements is no finite number.
static SmallVector<Value> emitStep(OpBuilder &b, Location loc, double levels, Value low, Value high, Value odd) {
  Type type = high.getType();
  Value range = low ? Value(arith::SubFOp::create(b, loc, high, low)) : high;
  // 0 x range is NaN where the range is infinite.
  Value nothing = arith::MulFOp::create(b, loc, range, emitFloat(b, loc, type, 0.0));
  odd = arith::AddFOp::create(b, loc, odd, nothing);
  Value positive = emitAtLeast(b, loc, range, leastRange);
  Value step = arith::DivFOp::create(b, loc, positive, emitFloat(b, loc, type, levels));
  Value kept = arith::AddFOp::create(b, loc, step, odd);
  if (!low)
    return {kept};
  Value quotient = arith::DivFOp::create(b, loc, arith::NegFOp::create(b, loc, low), step);
  Value zero = math::RoundEvenOp::create(b, loc, quotient);
  return {kept, emitAtMost(b, loc, emitAtLeast(b, loc, zero, 0.0), 255.0)};
}

/// Of each row of x [rows, columns], f32 [rows]: what is NaN where an element is not finite, the largest magnitude, or
/// the largest and the smallest element, of which 0 is one.
static SmallVector<Value> emitExtrema(OpBuilder &b, Location loc, Value x, bool isUnsigned) {
  auto type = cast<RankedTensorType>(x.getType());
  auto rowOf = [&](double start) {
    return RowInput{emitFilled(b, loc, type.getDimSize(0), type.getElementType(), start), RowAccess::Row};
  };
  SmallVector<RowInput> extrema = {rowOf(-0.0), rowOf(0.0)};
  if (isUnsigned)
    extrema.push_back(rowOf(0.0));
  return emitRowOp(b, loc, {{x, RowAccess::Tile}}, extrema, [&](OpBuilder &body, ValueRange arguments) {
    Value element = arguments[0];
    Value nothing = arith::MulFOp::create(body, loc, element, emitFloat(body, loc, element.getType(), 0.0));
    Value odd = arith::AddFOp::create(body, loc, arguments[1], nothing);
    Value upper = isUnsigned ? element : Value(math::AbsFOp::create(body, loc, element));
    Value high = arith::MaxNumFOp::create(body, loc, upper, arguments[2]);
    if (!isUnsigned)
      return SmallVector<Value>{odd, high};
    return SmallVector<Value>{odd, high, arith::MinNumFOp::create(body, loc, element, arguments[3])};
  });
}

/// One or two results [rows] of what is known of each row.
static RowSteps emitOfRows(OpBuilder &b, Location loc, ValueRange inputs, unsigned count,
                           function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> compute) {
  auto type = cast<RankedTensorType>(inputs.front().getType());
  SmallVector<Value> targets(count);
  for (Value &target : targets)
    target = tensor::EmptyOp::create(b, loc, type.getShape(), type.getElementType());
  SmallVector<AffineMap> maps(inputs.size() + count, b.getMultiDimIdentityMap(1));
  auto steps = linalg::GenericOp::create(b, loc, ValueRange(targets).getTypes(), inputs, targets, maps,
                                         utils::IteratorType::parallel,
                                         [&](OpBuilder &body, Location, ValueRange arguments) {
                                           linalg::YieldOp::create(body, loc, compute(body, arguments));
                                         });
  return {steps.getResult(0), count > 1 ? steps.getResult(1) : Value()};
}

/// The step that a file says, NaN in rows with a NaN; its zero.
static RowSteps emitGivenSteps(OpBuilder &b, Location loc, Value x, RowRoundingAttr rounding) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t rows = type.getDimSize(0);
  Type element = type.getElementType();
  Value none = emitFilled(b, loc, rows, element, -0.0);
  Value odd = emitRowOp(b, loc, {{x, RowAccess::Tile}}, {{none, RowAccess::Row}},
                        [&](OpBuilder &body, ValueRange arguments) {
                          Value isNaN = arith::CmpFOp::create(body, loc, arith::CmpFPredicate::UNO, arguments[0],
                                                              arguments[0]);
                          Value nothing = emitFloat(body, loc, element, -0.0);
                          Value term = arith::SelectOp::create(body, loc, isNaN, arguments[0], nothing);
                          return SmallVector<Value>{arith::AddFOp::create(body, loc, arguments[1], term)};
                        })[0];
  double given = rounding.getStep().getValueAsDouble();
  RowSteps steps = emitOfRows(b, loc, odd, 1, [&](OpBuilder &body, ValueRange arguments) {
    return SmallVector<Value>{arith::AddFOp::create(body, loc, emitFloat(body, loc, element, given), arguments[0])};
  });
  if (rounding.getZero())
    steps.zero = emitFilled(b, loc, rows, element, double(rounding.getZero()));
  return steps;
}

RowSteps heddle::emitRowSteps(OpBuilder &b, Location loc, Value x, RowRoundingAttr rounding, const RowSteps &whole) {
  if (rounding.getStep())
    return emitGivenSteps(b, loc, x, rounding);
  if (whole.step) {
    auto type = cast<RankedTensorType>(x.getType());
    auto all = [&](Value scalar) -> Value {
      Value empty = tensor::EmptyOp::create(b, loc, type.getShape().take_front(), type.getElementType());
      return linalg::FillOp::create(b, loc, scalar, empty).getResult(0);
    };
    return {all(whole.step), whole.zero ? all(whole.zero) : Value()};
  }
  bool isUnsigned = rounding.isUnsigned();
  SmallVector<Value> extrema = emitExtrema(b, loc, x, isUnsigned);
  return emitOfRows(b, loc, extrema, isUnsigned ? 2 : 1, [&](OpBuilder &body, ValueRange arguments) {
    return emitStep(body, loc, levelsOf(rounding), isUnsigned ? arguments[2] : Value(), arguments[1], arguments[0]);
  });
}

RowSteps heddle::emitTensorSteps(OpBuilder &b, Location loc, Value input, RowRoundingAttr rounding) {
  if (!rounding.getPerTensor())
    return {};
  bool isUnsigned = rounding.isUnsigned();
  auto type = cast<RankedTensorType>(input.getType());
  int64_t m = type.getDimSize(0), k = type.getDimSize(1);
  SmallVector<Value> dests(isUnsigned ? 3 : 2);
  for (Value &dest : dests)
    dest = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>{m}, type.getElementType());
  auto tile = [&](OpBuilder &inner, OpFoldResult row, int64_t rows, ValueRange targets) {
    Value x = emitSlice(inner, loc, input, {row, inner.getIndexAttr(0)}, {rows, k});
    x = emitWithout(inner, loc, x, rounding.getExact());
    SmallVector<Value> extrema = emitExtrema(inner, loc, x, isUnsigned);
    for (auto [found, target] : llvm::zip_equal(extrema, targets))
      found = linalg::CopyOp::create(inner, loc, found, target).getResult(0);
    return extrema;
  };
  SmallVector<Value> ofRows = emitRowTasks(b, loc, dests, k, rowsOfTile, tile);
  // Those of all rows, one after the other: there are few, and calls differ in how many.
  SmallVector<Value> starts(dests.size(), emitFloat(b, loc, type.getElementType(), 0.0));
  Value from = arith::ConstantIndexOp::create(b, loc, 0), by = arith::ConstantIndexOp::create(b, loc, 1);
  Value to = Sizes(b.getInsertionBlock()->getParentOp()).of(m).emitValue(b, loc);
  auto loop = scf::ForOp::create(
      b, loc, from, to, by, starts, [&](OpBuilder &body, Location, Value row, ValueRange carried) {
        SmallVector<Value> next;
        for (auto [i, all, before] : llvm::enumerate(ofRows, carried)) {
          Value one = tensor::ExtractOp::create(body, loc, all, row);
          auto order = i == 2 ? arith::CmpFPredicate::OLT : arith::CmpFPredicate::OGT;
          Value beyond = arith::CmpFOp::create(body, loc, order, one, before);
          next.push_back(i ? Value(arith::SelectOp::create(body, loc, beyond, one, before))
                           : Value(arith::AddFOp::create(body, loc, before, one)));
        }
        scf::YieldOp::create(body, loc, next);
      });
  Value low = isUnsigned ? loop.getResult(2) : Value();
  SmallVector<Value> step = emitStep(b, loc, levelsOf(rounding), low, loop.getResult(1), loop.getResult(0));
  return {step[0], isUnsigned ? step[1] : Value()};
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
