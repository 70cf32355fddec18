//===- Comparison.cpp - comparisons ---------------------------------------===//

#include "OpTable.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

/// Converts a comparison. `forFloats` and `forIntegers` are the predicates for the two kinds of elements.
template <arith::CmpFPredicate forFloats, arith::CmpIPredicate forIntegers>
LogicalResult convertCompare(NodeContext &n) {
  if (failed(n.requireSameElements({n.in(0), n.in(1)})) || failed(n.requireBroadcast({n.in(0), n.in(1)})))
    return failure();
  bool ordered = forIntegers != arith::CmpIPredicate::eq;
  if (ordered && elementOf(n.in(0)).isInteger(1))
    return n.error() << "bool elements cannot be compared by order";
  auto [a, b] = n.b.together(n.in(0), n.in(1));
  if (isFloat(a))
    return n.yield(n.b.elementwise<arith::CmpFOp>(forFloats, a, b));
  return n.yield(n.b.elementwise<arith::CmpIOp>(forIntegers, a, b));
}

LogicalResult convertIsNaN(NodeContext &n) {
  if (failed(n.requireFloat(n.in(0))))
    return failure();
  return n.yield(n.b.elementwise<arith::CmpFOp>(arith::CmpFPredicate::UNO, n.in(0), n.in(0)));
}

LogicalResult convertIsInf(NodeContext &n) {
  Value x = n.in(0);
  bool negative = n.intAttr("detect_negative", 1), positive = n.intAttr("detect_positive", 1);
  if (failed(n.requireFloat(x)))
    return failure();
  double infinity = std::numeric_limits<double>::infinity();
  auto equals = [&](bool detect, double value) -> Value {
    if (!detect)
      return n.b.splat(shapeOf(x), n.b.getI1Type(), 0);
    return n.b.elementwise<arith::CmpFOp>(arith::CmpFPredicate::OEQ, x, n.b.splatLike(x, value));
  };
  return n.yield(n.b.elementwise<arith::OrIOp>(equals(positive, infinity), equals(negative, -infinity)));
}

} // namespace

void heddle::onnx::addComparisonOps(OpTable &table) {
  using F = arith::CmpFPredicate;
  using I = arith::CmpIPredicate;
  table["Equal"] = {convertCompare<F::OEQ, I::eq>, 2, 2};
  table["Less"] = {convertCompare<F::OLT, I::slt>, 2, 2};
  table["LessOrEqual"] = {convertCompare<F::OLE, I::sle>, 2, 2, 12};
  table["Greater"] = {convertCompare<F::OGT, I::sgt>, 2, 2};
  table["GreaterOrEqual"] = {convertCompare<F::OGE, I::sge>, 2, 2, 12};
  table["IsNaN"] = {convertIsNaN, 1, 1, 9};
  table["IsInf"] = {convertIsInf, 1, 1, 10};
}
