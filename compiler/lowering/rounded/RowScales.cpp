//===- RowScales.cpp - scales and integers of rounded rows ----------------===//

#include "RoundedRows.h"
#include "RowOps.h"

#include "Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// The minimum range from which a scale is computed, so that the scale of a row of zeros is not 0.
static constexpr double minRange = 0x1p-100;
/// 1.5 x 2^23. Adding it to a number of magnitude up to 2^22 rounds the number to an integer, which is then in the
/// lowest bits of the sum.
static constexpr double roundingTerm = 12582912.0;

StoredIntegers::StoredIntegers(RowRoundingAttr rounding, int64_t shift) : shift(shift) {
  bool isWhole = rounding.getScale() || rounding.getElement().isSignedInteger();
  minimum = double(shift) + (rounding.isUnsigned() ? 0 : isWhole ? -128 : -127);
  maximum = double(shift) + (rounding.isUnsigned() ? 255 : 127);
}

/// Returns x, or `minimum` if x is less than `minimum` or NaN. The two ops become one instruction.
static Value emitAtLeast(OpBuilder &b, Location loc, Value x, double minimum) {
  Value bound = emitFloat(b, loc, x.getType(), minimum);
  Value above = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, x, bound);
  return arith::SelectOp::create(b, loc, above, x, bound);
}
/// Returns x, or `maximum` if x is greater than `maximum` or NaN.
static Value emitAtMost(OpBuilder &b, Location loc, Value x, double maximum) {
  Value bound = emitFloat(b, loc, x.getType(), maximum);
  Value below = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, bound);
  return arith::SelectOp::create(b, loc, below, x, bound);
}

/// Returns the quotient of a row's range and its scale. For signed integers, the range is the largest magnitude of an
/// element. For unsigned integers, it is the difference between the largest and the smallest of 0 and the elements.
static double levelsOf(RowRoundingAttr rounding) {
  return rounding.isUnsigned() ? 255.0 : rounding.getElement().isSignedInteger() ? 127.5 : 127.0;
}

/// Returns 1 / scale for a row whose range is `largest`. If `levels` is 127.5, largest / scale lies halfway between two
/// integers in every row, so largest / scale and largest x (1 / scale) may round to different integers. If they
/// do, returns n / largest instead, where n lies two units in the last place (more than the rounding error) above or
/// below `levels`, on the same side as largest / scale.
static Value emitInverse(OpBuilder &b, Location loc, double levels, Value largest, Value scale) {
  Type type = scale.getType();
  Value inverse = arith::DivFOp::create(b, loc, emitFloat(b, loc, type, 1.0), scale);
  if (levels == std::floor(levels))
    return inverse;
  auto isAbove = [&](Value levelCount) -> Value {
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGE, levelCount, emitFloat(b, loc, type, levels));
  };
  Value quotient = isAbove(arith::DivFOp::create(b, loc, largest, scale));
  Value product = isAbove(arith::MulFOp::create(b, loc, largest, inverse));
  Value near = arith::SelectOp::create(b, loc, quotient, emitFloat(b, loc, type, levels + 0x1p-16),
                                       emitFloat(b, loc, type, levels - 0x1p-16));
  Value differ = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, quotient, product);
  return arith::SelectOp::create(b, loc, differ, arith::DivFOp::create(b, loc, near, largest), inverse);
}

/// Returns the scale, its inverse, and the zero point if there is one, from the extrema of a row. `low` is null if the
/// rounding has no zero points; `high` is then the largest magnitude. The scale and its inverse are NaN if an extremum
/// or the difference of the extrema is not finite.
static SmallVector<Value> emitScale(OpBuilder &b, Location loc, double levels, Value low, Value high) {
  Type type = high.getType();
  Value range = low ? Value(arith::SubFOp::create(b, loc, high, low)) : high;
  // `nothing` is 0, or NaN if the range is not finite.
  Value nothing = arith::MulFOp::create(b, loc, range, emitFloat(b, loc, type, 0.0));
  Value positive = emitAtLeast(b, loc, range, minRange);
  Value scale = arith::DivFOp::create(b, loc, positive, emitFloat(b, loc, type, levels));
  Value scaleOrNaN = arith::AddFOp::create(b, loc, scale, nothing);
  Value inverse = emitInverse(b, loc, levels, positive, scaleOrNaN);
  if (!low)
    return {scaleOrNaN, inverse};
  Value quotient = arith::DivFOp::create(b, loc, arith::NegFOp::create(b, loc, low), scale);
  Value zero = math::RoundEvenOp::create(b, loc, quotient);
  return {scaleOrNaN, inverse, emitAtMost(b, loc, emitAtLeast(b, loc, zero, 0.0), 255.0)};
}

/// Returns the larger (`high`) or the smaller of two numbers, which are given as bits. Since reductions start from 0.0
/// or -0.0, only positive numbers matter for a maximum, and only negative numbers for a minimum. The bits of positive
/// numbers, as signed integers, have the order of the numbers. The bits of negative numbers, as unsigned integers, have
/// the order of magnitudes. The bits of infinities and NaN are beyond those of all other numbers, so elements that are
/// not finite are found, too.
static Value emitExtremum(OpBuilder &b, Location loc, bool high, Value bits, Value before) {
  return high ? Value(arith::MaxSIOp::create(b, loc, bits, before)) : Value(arith::MaxUIOp::create(b, loc, bits, before));
}
/// Returns the bits from which a reduction by emitExtremum starts: 0.0 for maxima, and -0.0 for minima.
static Value emitExtremumStart(OpBuilder &b, Location loc, bool high, IntegerType type) {
  APInt zero(type.getWidth(), 0);
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, high ? zero : APInt::getSignMask(type.getWidth())));
}
/// Returns the integer type with as many bits as `element`.
static IntegerType bitsOf(Type element) {
  return IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth());
}

/// Appends x and, if not null, `mask` to `inputs`, which must be empty. Returns the index of `mask`, or 0 if it is
/// null.
static unsigned addInputs(SmallVectorImpl<RowInput> &inputs, const RowNumbers &numbers) {
  inputs.push_back({numbers.x, RowAccess::Tile});
  if (numbers.mask)
    inputs.push_back({numbers.mask, RowAccess::Column});
  return inputs.size() - 1;
}
/// Returns the float whose bits are the bits of x AND `mask`.
static Value emitKeptBits(OpBuilder &b, Location loc, Value x, Value mask) {
  Value bits = arith::BitcastOp::create(b, loc, mask.getType(), x);
  return arith::BitcastOp::create(b, loc, x.getType(), arith::AndIOp::create(b, loc, bits, mask));
}

SmallVector<Value> heddle::emitExtrema(OpBuilder &b, Location loc, const RowNumbers &numbers, bool isUnsigned) {
  auto type = cast<RankedTensorType>(numbers.x.getType());
  IntegerType bits = bitsOf(type.getElementType());
  SmallVector<RowInput> extrema;
  for (bool high : {true, false}) {
    Value empty = tensor::EmptyOp::create(b, loc, type.getShape().take_front(), bits);
    Value start = emitExtremumStart(b, loc, high, bits);
    if (high || isUnsigned)
      extrema.push_back({linalg::FillOp::create(b, loc, start, empty).getResult(0), RowAccess::Row});
  }
  SmallVector<RowInput> inputs;
  unsigned mask = addInputs(inputs, numbers);
  return emitRowOp(b, loc, inputs, extrema, [&](OpBuilder &body, ValueRange arguments) {
    Value number = mask ? emitKeptBits(body, loc, arguments[0], arguments[mask]) : arguments[0];
    if (!isUnsigned)
      number = math::AbsFOp::create(body, loc, number);
    Value of = arith::BitcastOp::create(body, loc, bits, number);
    ValueRange before = arguments.drop_front(inputs.size());
    SmallVector<Value> results = {emitExtremum(body, loc, /*high=*/true, of, before[0])};
    if (isUnsigned)
      results.push_back(emitExtremum(body, loc, /*high=*/false, of, before[1]));
    return results;
  });
}

/// Emits an elementwise op with `count` results of element type `element`. The inputs contain one value for each row or
/// block, and `compute` returns the elements of the results.
static SmallVector<Value> emitOfRows(OpBuilder &b, Location loc, ValueRange inputs, Type element, unsigned count,
                                     function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> compute) {
  auto type = cast<RankedTensorType>(inputs.front().getType());
  SmallVector<Value> targets(count);
  for (Value &target : targets)
    target = tensor::EmptyOp::create(b, loc, type.getShape(), element);
  SmallVector<AffineMap> maps(inputs.size() + count, b.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> parallel(type.getRank(), utils::IteratorType::parallel);
  auto scales = linalg::GenericOp::create(b, loc, ValueRange(targets).getTypes(), inputs, targets, maps, parallel,
                                          [&](OpBuilder &body, Location, ValueRange arguments) {
                                            linalg::YieldOp::create(body, loc, compute(body, arguments));
                                          });
  return llvm::to_vector_of<Value>(scales.getResults());
}

/// Returns the scale and the zero point that the model sets. The scale of a row that contains a NaN is NaN.
static RowScales emitGivenScales(OpBuilder &b, Location loc, const RowNumbers &numbers, RowRoundingAttr rounding) {
  auto type = cast<RankedTensorType>(numbers.x.getType());
  int64_t rows = type.getDimSize(0);
  Type element = type.getElementType();
  Value none = emitFilled(b, loc, rows, element, -0.0);
  SmallVector<RowInput> inputs;
  unsigned mask = addInputs(inputs, numbers);
  // For each row, -0.0, or NaN if the row contains a NaN; this number is added to the scale.
  Value odd = emitRowOp(b, loc, inputs, {{none, RowAccess::Row}}, [&](OpBuilder &body, ValueRange arguments) {
    Value x = mask ? emitKeptBits(body, loc, arguments[0], arguments[mask]) : arguments[0];
    Value isNaN = arith::CmpFOp::create(body, loc, arith::CmpFPredicate::UNO, x, x);
    Value term = arith::SelectOp::create(body, loc, isNaN, x, emitFloat(body, loc, element, -0.0));
    return SmallVector<Value>{arith::AddFOp::create(body, loc, arguments.back(), term)};
  })[0];
  double given = rounding.getScale().getValueAsDouble();
  auto scale = [&](OpBuilder &body, ValueRange arguments) {
    return SmallVector<Value>{arith::AddFOp::create(body, loc, emitFloat(body, loc, element, given), arguments[0])};
  };
  RowScales scales = {emitOfRows(b, loc, odd, element, 1, scale)[0], Value(), Value()};
  if (rounding.getZero())
    scales.zero = emitFilled(b, loc, rows, element, double(rounding.getZero()));
  return scales;
}

RowScales heddle::emitRowScales(OpBuilder &b, Location loc, const RowNumbers &numbers, RowRoundingAttr rounding,
                                const RowScales &whole) {
  auto type = cast<RankedTensorType>(numbers.x.getType());
  if (rounding.getScale())
    return emitGivenScales(b, loc, numbers, rounding);
  if (whole.scale) {
    auto all = [&](Value scalar) -> Value {
      Value empty = tensor::EmptyOp::create(b, loc, type.getShape().take_front(), type.getElementType());
      return linalg::FillOp::create(b, loc, scalar, empty).getResult(0);
    };
    return {all(whole.scale), Value(), whole.zero ? all(whole.zero) : Value()};
  }
  return emitScalesOf(b, loc, emitExtrema(b, loc, numbers, rounding.isUnsigned()), rounding);
}

RowScales heddle::emitScalesOf(OpBuilder &b, Location loc, ValueRange extrema, RowRoundingAttr rounding) {
  bool isUnsigned = rounding.isUnsigned();
  Type element = b.getF32Type();
  auto scale = [&](OpBuilder &body, ValueRange arguments) {
    auto number = [&](Value bits) -> Value { return arith::BitcastOp::create(body, loc, element, bits); };
    return emitScale(body, loc, levelsOf(rounding), isUnsigned ? number(arguments[1]) : Value(), number(arguments[0]));
  };
  SmallVector<Value> scales = emitOfRows(b, loc, extrema, element, isUnsigned ? 3 : 2, scale);
  return {scales[0], scales[1], isUnsigned ? scales[2] : Value()};
}

RowScales heddle::emitTensorScales(OpBuilder &b, Location loc, const RowNumbers &input, RowRoundingAttr rounding) {
  if (!rounding.getPerTensor())
    return {};
  bool isUnsigned = rounding.isUnsigned();
  auto type = cast<RankedTensorType>(input.x.getType());
  int64_t m = type.getDimSize(0), k = type.getDimSize(1);
  Type element = type.getElementType();
  IntegerType bits = bitsOf(element);
  SmallVector<Value> dests(isUnsigned ? 2 : 1);
  for (Value &dest : dests)
    dest = tensor::EmptyOp::create(b, loc, ArrayRef<int64_t>{m}, bits);
  auto tile = [&](OpBuilder &inner, OpFoldResult row, int64_t rows, ValueRange targets) {
    Value x = emitSlice(inner, loc, input.x, {row, inner.getIndexAttr(0)}, {rows, k});
    SmallVector<Value> extrema = emitExtrema(inner, loc, {x, input.mask}, isUnsigned);
    for (auto [found, target] : llvm::zip_equal(extrema, targets))
      found = linalg::CopyOp::create(inner, loc, found, target).getResult(0);
    return extrema;
  };
  SmallVector<Value> ofRows = emitRowTasks(b, loc, dests, k, rowsOfTile, tile);
  // Combine the extrema of all rows in a scalar loop: they are few, and their number may be known only at run time.
  SmallVector<Value> starts;
  for (unsigned i = 0; i < dests.size(); ++i)
    starts.push_back(emitExtremumStart(b, loc, /*high=*/i == 0, bits));
  Value from = arith::ConstantIndexOp::create(b, loc, 0), by = arith::ConstantIndexOp::create(b, loc, 1);
  Value to = Sizes(b.getInsertionBlock()->getParentOp()).of(m).emitValue(b, loc);
  auto loop = scf::ForOp::create(
      b, loc, from, to, by, starts, [&](OpBuilder &body, Location, Value row, ValueRange carried) {
        SmallVector<Value> next;
        for (auto [i, all, before] : llvm::enumerate(ofRows, carried)) {
          Value one = tensor::ExtractOp::create(body, loc, all, row);
          next.push_back(emitExtremum(body, loc, /*high=*/i == 0, one, before));
        }
        scf::YieldOp::create(body, loc, next);
      });
  auto number = [&](unsigned i) -> Value { return arith::BitcastOp::create(b, loc, element, loop.getResult(i)); };
  SmallVector<Value> scale = emitScale(b, loc, levelsOf(rounding), isUnsigned ? number(1) : Value(), number(0));
  return {scale[0], Value(), isUnsigned ? scale[2] : Value()};
}

/// Returns the lowest bits of x as an integer of type `narrow`. If `start` is not null, its bits are subtracted first.
static Value emitLowBits(OpBuilder &b, Location loc, Value x, Value start, Type narrow) {
  auto bits = [&](Value number) -> Value {
    return arith::BitcastOp::create(b, loc, bitsOf(number.getType()), number);
  };
  Value word = start ? Value(arith::SubIOp::create(b, loc, bits(x), bits(start))) : bits(x);
  return arith::TruncIOp::create(b, loc, narrow, word);
}

Value heddle::emitIntegers(OpBuilder &b, Location loc, const RowNumbers &numbers, const RowScales &scales,
                           const StoredIntegers &stored, Value target) {
  SmallVector<RowInput> inputs;
  unsigned mask = addInputs(inputs, numbers); // like the indices below, 0 if the input does not exist
  auto input = [&](Value ofRows) -> unsigned {
    if (ofRows)
      inputs.push_back({ofRows, RowAccess::Row});
    return ofRows ? inputs.size() - 1 : 0;
  };
  Type element = getElementTypeOrSelf(target);
  bool isDequantized = element.isF32(), bytes = element.isInteger(8);
  unsigned inverse = input(scales.inverse), scale = input(isDequantized || !inverse ? scales.scale : Value());
  unsigned zero = input(scales.zero);
  return emitRowOp(b, loc, inputs, {{target, RowAccess::Tile}}, [&](OpBuilder &body, ValueRange arguments) {
    Value x = mask ? emitKeptBits(body, loc, arguments[0], arguments[mask]) : arguments[0];
    if (inverse && !isDequantized) {
      Value start = emitFloat(body, loc, x.getType(), roundingTerm + double(stored.shift));
      if (zero)
        start = arith::AddFOp::create(body, loc, arguments[zero], start);
      Value sum = arith::AddFOp::create(body, loc, arith::MulFOp::create(body, loc, x, arguments[inverse]), start);
      sum = emitAtMost(body, loc, emitAtLeast(body, loc, sum, roundingTerm + stored.minimum),
                       roundingTerm + stored.maximum);
      return SmallVector<Value>{emitLowBits(body, loc, sum, bytes ? Value() : start, element)};
    }
    Value quotient = inverse ? Value(arith::MulFOp::create(body, loc, x, arguments[inverse]))
                             : Value(arith::DivFOp::create(body, loc, x, arguments[scale]));
    Value q = math::RoundEvenOp::create(body, loc, quotient);
    if (zero)
      q = arith::AddFOp::create(body, loc, q, arguments[zero]);
    if (stored.shift)
      q = arith::AddFOp::create(body, loc, q, emitFloat(body, loc, q.getType(), double(stored.shift)));
    q = emitAtMost(body, loc, emitAtLeast(body, loc, q, stored.minimum), stored.maximum);
    if (zero && !bytes)
      q = arith::SubFOp::create(body, loc, q, arguments[zero]);
    if (isDequantized)
      return SmallVector<Value>{arith::MulFOp::create(body, loc, q, arguments[scale])};
    Value integer = arith::FPToSIOp::create(body, loc, body.getI32Type(), q);
    return SmallVector<Value>{arith::TruncIOp::create(body, loc, element, integer)};
  })[0];
}
