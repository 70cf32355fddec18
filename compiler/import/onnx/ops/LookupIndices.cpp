//===- LookupIndices.cpp - checks the indices of lookups ------------------===//

#include "LookupIndices.h"

#include "sizes/IsWithin.h"
#include "sizes/SizeScope.h"

#include "Heddle.h"

using namespace mlir;
using namespace heddle::onnx;

LogicalResult heddle::onnx::normalizeIndices(NodeContext &n, Shape &indices, const Dim &extent) {
  for (Dim &index : indices) {
    if (index < -extent || index >= extent)
      return n.error() << "index " << index.text() << " is out of range for an extent of " << extent.text();
    index = select(isLess(index, 0), index + extent, index);
  }
  return success();
}

/// Replaces the indices by checked indices unless their `range` shows that they are valid. Returns whether the indices
/// may be negative, like boundIndices. `isNarrowed` means that each call of the library begins with a check that the
/// indices, which are copied from an input, lie in `range`.
static FailureOr<bool> checkUnbounded(NodeContext &n, Value &indices, const Dim &extent, std::optional<Interval> range,
                                      bool isNarrowed) {
  if (range && (range->high < -extent.high() || range->low >= extent.high()))
    return n.error() << "the indices can be " << range->low << " to " << range->high << ", all outside the extent of "
                     << extent.text();
  if (range && (isNarrowed || (range->low >= -extent.low() && range->high < extent.low())))
    return range->low < 0;
  if (!llvm::isIntN(elementOf(indices).getIntOrFloatBitWidth(), extent.high()) ||
      !llvm::isIntN(elementOf(indices).getIntOrFloatBitWidth(), numberOf(extent)))
    indices = n.b.castTo(indices, n.b.getI64Type());
  indices = heddle::CheckedIndexOp::create(n.b, indices, numberOf(extent));
  return false;
}

/// For indices that are expressions of sizes, returns whether they may be negative. Returns nothing for other indices,
/// and for indices that may be out of range. Emits an error if the dimension may be empty.
static FailureOr<std::optional<bool>> boundSizes(NodeContext &n, Value indices, const Dim &extent) {
  if (failed(n.requireInteger(indices)))
    return failure();
  if (extent.low() == 0)
    return n.error() << "a lookup in a dimension that may be empty is not supported: its extent is " << extent.text()
                     << (extent.isFixed() ? "" : heddle::SizeScope::current()->example(extent.asExpression()));
  if (std::optional<heddle::SizedTensor> sized = heddle::SizedTensor::of(indices))
    if (std::optional<heddle::SizeExpression> formula = sized->formula()) {
      if (isWithin(*formula, sized->shape, 0, extent))
        return std::optional(false);
      if (isWithin(*formula, sized->shape, -extent, extent))
        return std::optional(true);
    }
  return std::optional<bool>();
}

FailureOr<bool> heddle::onnx::boundIndices(NodeContext &n, Value &indices, const Dim &extent) {
  FailureOr<std::optional<bool>> sized = boundSizes(n, indices, extent);
  if (failed(sized) || *sized)
    return failed(sized) ? FailureOr<bool>(failure()) : FailureOr<bool>(**sized);
  std::optional<Interval> range = n.ranges.boundIndex(indices, extent);
  return checkUnbounded(n, indices, extent, range, range && IndexRanges::inputBehind(indices, range));
}

FailureOr<bool> heddle::onnx::checkIndices(NodeContext &n, Value &indices, const Dim &extent) {
  FailureOr<std::optional<bool>> sized = boundSizes(n, indices, extent);
  if (failed(sized) || *sized)
    return failed(sized) ? FailureOr<bool>(failure()) : FailureOr<bool>(**sized);
  return checkUnbounded(n, indices, extent, n.ranges.of(indices), /*isNarrowed=*/false);
}

Value heddle::onnx::countedExtent(NodeContext &n, const Dim &extent) {
  return extent.isFixed() ? Value() : n.b.index(extent);
}

Value heddle::onnx::wrapIndex(ImplicitLocOpBuilder &b, Value index, const Dim &extent, Value counted,
                              bool maybeNegative) {
  if (!maybeNegative)
    return index;
  auto number = [&](int64_t value) { return arith::ConstantOp::create(b, b.getIntegerAttr(index.getType(), value)); };
  Value negative = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, index, number(0));
  Value count = counted ? Value(arith::IndexCastOp::create(b, index.getType(), counted)) : number(*extent.number());
  return arith::SelectOp::create(b, negative, arith::AddIOp::create(b, index, count), index);
}

Value heddle::onnx::keepRange(NodeContext &n, Value table, Value result) {
  if (std::optional<Interval> range = n.ranges.of(table))
    n.ranges.set(result, *range);
  return result;
}
