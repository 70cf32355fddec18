//===- IndexRange.cpp - ranges of run-time indices ------------------------===//

#include "IndexRange.h"

#include "Constants.h"
#include "sizes/SizedTensor.h"

#include "Heddle.h"
#include "Notes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace heddle;

/// Returns the operand whose elements the results of `op` contain unchanged (for example reshaped); null for operations
/// that compute new elements.
static Value movedOperand(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>([](auto op) { return op.getSrc(); })
      .Case<tensor::ExtractSliceOp>([](auto op) { return op.getSource(); })
      .Case<linalg::TransposeOp, linalg::BroadcastOp>([](auto op) { return op.getInput(); })
      .Default([](Operation *) { return Value(); });
}

BlockArgument IndexRanges::inputBehind(Value value, std::optional<Interval> within) {
  auto holds = [&](unsigned width) {
    return within && llvm::isIntN(width, within->low) && llvm::isIntN(width, within->high);
  };
  while (Operation *op = value.getDefiningOp()) {
    if (Value moved = movedOperand(op))
      value = moved;
    else if (auto widen = dyn_cast<arith::ExtSIOp>(op))
      value = widen.getIn();
    else if (auto narrow = dyn_cast<arith::TruncIOp>(op); narrow && holds(getElementTypeOrSelf(value).getIntOrFloatBitWidth()))
      value = narrow.getIn();
    else
      return {};
  }
  return cast<BlockArgument>(value);
}

/// The smallest interval that contains four numbers; nothing if one of them overflowed.
static std::optional<Interval> hull(std::optional<int64_t> corners[4]) {
  Interval result{INT64_MAX, INT64_MIN};
  for (int i = 0; i < 4; ++i) {
    if (!corners[i])
      return std::nullopt;
    result.low = std::min(result.low, *corners[i]);
    result.high = std::max(result.high, *corners[i]);
  }
  return result;
}

/// The range of the results of a binary operation whose operands lie in `a` and `b`. Returns nothing if a bound
/// overflows 64 bits, or if the operation is not supported.
static std::optional<Interval> combine(Operation *op, Interval a, Interval b) {
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op)) {
    auto apply = [&](int64_t x, int64_t y) -> std::optional<int64_t> {
      return isa<arith::AddIOp>(op) ? llvm::checkedAdd(x, y)
             : isa<arith::SubIOp>(op) ? llvm::checkedSub(x, y)
                                      : llvm::checkedMul(x, y);
    };
    std::optional<int64_t> corners[] = {apply(a.low, b.low), apply(a.low, b.high), apply(a.high, b.low),
                                        apply(a.high, b.high)};
    return hull(corners);
  }
  if (isa<arith::MaxSIOp>(op))
    return Interval{std::max(a.low, b.low), std::max(a.high, b.high)};
  if (isa<arith::MinSIOp>(op))
    return Interval{std::min(a.low, b.low), std::min(a.high, b.high)};
  return std::nullopt;
}

std::optional<Interval> IndexRanges::compute(Value value) {
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(value));
  if (!type || type.getWidth() > 64)
    return std::nullopt;
  std::optional<Interval> whole; // all values of the element type; nothing for 64 bits
  if (type.getWidth() == 1)
    whole = Interval{0, 1};
  else if (type.getWidth() < 64)
    whole = Interval{-(int64_t(1) << (type.getWidth() - 1)), (int64_t(1) << (type.getWidth() - 1)) - 1};

  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    std::optional<ElementRange> range = func ? notes::range.get(func, argument.getArgNumber()) : std::nullopt;
    return range ? Interval{dimOf(range->low).low(), dimOf(range->high).high()} : whole;
  }
  if (std::optional<SizedTensor> sized = SizedTensor::of(value)) {
    std::optional<SizeBounds> bounds = sized->bounds();
    return bounds ? std::optional(Interval{bounds->low, bounds->high}) : whole;
  }
  if (std::optional<Numbers> values = integersOf(value)) {
    if (values->empty())
      return std::nullopt;
    return Interval{*llvm::min_element(*values), *llvm::max_element(*values)};
  }
  Operation *op = value.getDefiningOp();
  if (Value moved = movedOperand(op))
    return of(moved);
  if (auto checked = dyn_cast<CheckedIndexOp>(op))
    return Interval{0, int64_t(checked.getExtent()) - 1};
  if (isa<arith::ExtSIOp, arith::ExtUIOp>(op)) {
    // Zero extension preserves the value of a bool, which is 0 or 1. All other integers are signed.
    bool isBool = getElementTypeOrSelf(op->getOperand(0)).isInteger(1);
    if (isa<arith::ExtUIOp>(op) != isBool)
      return whole;
    return of(op->getOperand(0));
  }
  if (isa<arith::TruncIOp>(op)) {
    std::optional<Interval> wide = of(op->getOperand(0));
    return wide && whole && wide->low >= whole->low && wide->high <= whole->high ? wide : whole;
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    std::optional<Interval> a = of(select.getTrueValue()), b = of(select.getFalseValue());
    if (!a || !b)
      return whole;
    return Interval{std::min(a->low, b->low), std::max(a->high, b->high)};
  }
  if (op->getNumOperands() != 2 || op->getNumResults() != 1 || !isa<arith::ArithDialect>(op->getDialect()))
    return whole;
  const Interval anything{INT64_MIN, INT64_MAX};
  Interval a = of(op->getOperand(0)).value_or(anything), b = of(op->getOperand(1)).value_or(anything);
  std::optional<Interval> result = combine(op, a, b);
  if (result && whole && (result->low < whole->low || result->high > whole->high))
    return whole; // the result may overflow and have any value of the type
  return result ? result : whole;
}

std::optional<Interval> IndexRanges::of(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  if (auto it = computed.find(value); it != computed.end())
    return it->second;
  if (depth == maxDepth)
    return std::nullopt;
  ++depth;
  std::optional<Interval> result = compute(value);
  --depth;
  computed[value] = result;
  return result;
}

std::optional<Interval> IndexRanges::narrow(Value value, const Dim &lowerBound, const Dim &upperBound) {
  Dim low = lowerBound, high = upperBound;
  BlockArgument input = inputBehind(value, Interval{low.low(), high.high()});
  if (!input)
    return std::nullopt;
  auto func = cast<func::FuncOp>(input.getOwner()->getParentOp());
  if (auto old = notes::range.get(func, input.getArgNumber())) {
    low = maximum(low, dimOf(old->low));
    high = minimum(high, dimOf(old->high));
  }
  computed.clear(); // results that depend on the input may now have narrower ranges
  notes::range.set(func, input.getArgNumber(), {numberOf(low), numberOf(high)});
  return Interval{low.low(), high.high()};
}

std::optional<Interval> IndexRanges::boundIndex(Value value, const Dim &extent) {
  std::optional<Interval> range = narrow(value, -extent, extent - 1);
  return range ? range : of(value);
}
