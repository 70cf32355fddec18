//===- Reduction.cpp - ReduceMean, ReduceSum etc. -------------------------===//

#include "OpTable.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

using Reduction = Emitter::Reduction;

/// The options of a reduction. If `keep` is true, the reduced dimensions remain with extent 1.
struct Plan {
  Numbers axes;
  bool keep;
};

/// Reads the axes, which are an attribute up to opset `lastAttribute` and an input in later opsets. If there are no
/// axes, all dimensions are reduced or, if noop_with_empty_axes is set, none.
FailureOr<Plan> readPlan(NodeContext &n, int64_t lastAttribute) {
  Plan plan;
  plan.keep = n.intAttr("keepdims", 1);
  std::optional<Numbers> given;
  if (n.opset <= lastAttribute) {
    given = n.intsAttr("axes");
    if (n.in(1))
      return n.error() << "expected the axes as an attribute in this opset";
  } else if (n.in(1)) {
    FailureOr<Numbers> values = n.numbers(1, "the axes");
    if (failed(values))
      return failure();
    given = *values;
  }
  bool none = n.opset > lastAttribute && n.intAttr("noop_with_empty_axes", 0);
  int64_t rank = rankOf(n.in(0));
  if ((!given || given->empty()) && !none)
    given = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  FailureOr<Numbers> axes = n.axes(given.value_or(Numbers()), rank);
  if (failed(axes))
    return failure();
  plan.axes = *axes;
  return plan;
}

Value same(Emitter &, Value x) { return x; }
Value square(Emitter &b, Value x) { return b.mul(x, x); }
Value root(Emitter &b, Value x) { return b.elementwise<math::SqrtOp>(x); }
Value log(Emitter &b, Value x) { return b.elementwise<math::LogOp>(x); }
Value absolute(Emitter &b, Value x) { return b.elementwise<math::AbsFOp>(x); }

/// An elementwise function before or after the reduction.
using Step = Value (*)(Emitter &, Value);

/// Converts a reduction whose axes are an attribute up to opset `lastAttribute`. Applies `before` to the elements of
/// the operand and `after` to the results.
template <Reduction kind, int64_t lastAttribute, Step before = same, Step after = same, bool floatOnly = false>
LogicalResult convertReduce(NodeContext &n) {
  FailureOr<Plan> plan = readPlan(n, lastAttribute);
  if (failed(plan) || (floatOnly && failed(n.requireFloat(n.in(0)))))
    return failure();
  if (elementOf(n.in(0)).isInteger(1))
    return n.error() << "reduction of bool elements is not supported";
  return n.yield(after(n.b, n.b.reduce(kind, before(n.b, n.in(0)), plan->axes, plan->keep)));
}

LogicalResult convertReduceMean(NodeContext &n) {
  FailureOr<Plan> plan = readPlan(n, 17);
  if (failed(plan) || failed(n.requireFloat(n.in(0))))
    return failure();
  Dim count = 1;
  for (int64_t axis : plan->axes)
    count *= shapeOf(n.in(0))[axis];
  Value sum = n.b.reduce(Reduction::Sum, n.in(0), plan->axes, plan->keep);
  return n.yield(plan->axes.empty() ? sum : n.b.div(sum, n.b.splatSize(sum, count)));
}

} // namespace

void heddle::onnx::addReductionOps(OpTable &table) {
  table["ReduceSum"] = {convertReduce<Reduction::Sum, 12>, 1, 2};
  table["ReduceMean"] = {convertReduceMean, 1, 2};
  table["ReduceMax"] = {convertReduce<Reduction::Max, 17>, 1, 2};
  table["ReduceMin"] = {convertReduce<Reduction::Min, 17>, 1, 2};
  table["ReduceProd"] = {convertReduce<Reduction::Product, 17>, 1, 2};
  table["ReduceSumSquare"] = {convertReduce<Reduction::Sum, 17, square>, 1, 2};
  table["ReduceL1"] = {convertReduce<Reduction::Sum, 17, absolute, same, true>, 1, 2};
  table["ReduceL2"] = {convertReduce<Reduction::Sum, 17, square, root, true>, 1, 2};
  table["ReduceLogSum"] = {convertReduce<Reduction::Sum, 17, same, log, true>, 1, 2};
}
