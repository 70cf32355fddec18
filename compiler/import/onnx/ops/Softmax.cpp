//===- Softmax.cpp - Softmax and LogSoftmax -------------------------------===//

#include "OpTable.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

Value softmax(Emitter &b, Value x, int64_t axis) { return b.softmax(x, axis); }

/// x - max - log(sum(exp(x - max))), which does not overflow.
Value logSoftmax(Emitter &b, Value x, int64_t axis) {
  Value shifted = b.sub(x, b.reduce(Emitter::Reduction::Max, x, axis, /*keep=*/true));
  Value sum = b.reduce(Emitter::Reduction::Sum, b.elementwise<math::ExpOp>(shifted), axis, /*keep=*/true);
  return b.sub(shifted, b.elementwise<math::LogOp>(sum));
}

/// Converts Softmax and LogSoftmax. Up to opset 12, the function is applied to rows that consist of all dimensions from
/// `axis` on.
template <Value (*emit)(Emitter &, Value, int64_t)>
LogicalResult convertSoftmax(NodeContext &n) {
  Value x = n.in(0);
  Shape shape(shapeOf(x));
  if (failed(n.requireFloat(x)))
    return failure();
  FailureOr<int64_t> axis = n.axis(n.intAttr("axis", n.opset < 13 ? 1 : -1), shape.size());
  if (failed(axis))
    return failure();
  bool last = *axis == static_cast<int64_t>(shape.size()) - 1;
  if (n.opset >= 13 || last)
    return n.yield(emit(n.b, x, *axis));
  Shape flat{1, 1};
  for (auto [dim, extent] : llvm::enumerate(shape))
    flat[static_cast<int64_t>(dim) >= *axis] *= extent;
  return n.yield(n.b.reshape(emit(n.b, n.b.reshape(x, flat), 1), shape));
}

} // namespace

void heddle::onnx::addSoftmaxOps(OpTable &table) {
  table["Softmax"] = {convertSoftmax<softmax>};
  table["LogSoftmax"] = {convertSoftmax<logSoftmax>};
}
