//===- Triangle.cpp - Trilu and EyeLike -----------------------------------===//

#include "OpTable.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

/// Emits a mask of shape `matrix`, whose elements [i, i + k] form diagonal k. If `upper`, the mask is true on diagonal
/// k and above; otherwise, on diagonal k and below.
FailureOr<Value> triangle(NodeContext &n, ArrayRef<Dim> matrix, const Dim &k, bool upper) {
  using heddle::SizeExpression;
  if (!k.isFixed() || !fixedNumbers(matrix)) {
    SizeExpression diagonal = SizeExpression::place(1) - SizeExpression::place(0) - k.asExpression();
    SizeExpression isBeyond = upper ? SizeExpression(1) - SizeExpression::less(diagonal, 0)
                                    : SizeExpression(1) - SizeExpression::less(0, diagonal);
    return heddle::SizedTensor::ofFormula(matrix, n.b.getI1Type(), isBeyond).emit(n.b);
  }
  if (!canFold(matrix))
    return n.error() << "a matrix of " << shapeText(matrix) << " is too large";
  std::vector<char> keep;
  forEachIndex(*fixedNumbers(matrix), [&](ArrayRef<int64_t> at) {
    int64_t diagonal = at[1] - at[0];
    keep.push_back(upper ? diagonal >= *k.number() : diagonal <= *k.number());
  });
  return n.b.constant(fromBytes(typeOf(matrix, n.b.getI1Type()), keep));
}

LogicalResult convertTrilu(NodeContext &n) {
  Value x = n.in(0);
  bool upper = n.intAttr("upper", 1);
  Dim k = 0;
  if (n.in(1)) {
    FailureOr<Dim> given = n.integer(1, "k");
    if (failed(given))
      return failure();
    k = *given;
  }
  if (rankOf(x) < 2)
    return n.error() << "expected a matrix, found " << typeText(x);
  // The operand is often a mask that is stored as a weight. A small weight becomes a constant, so the result is folded.
  if (DenseElementsAttr elements = n.b.storedElements(x))
    x = n.b.constant(elements);
  Shape shape = shapeOf(x);
  FailureOr<Value> keep = triangle(n, ArrayRef(shape).take_back(2), k, upper);
  if (failed(keep))
    return failure();
  return n.yield(n.b.select(*keep, x, n.b.splatLike(x, 0)));
}

LogicalResult convertEyeLike(NodeContext &n) {
  Value x = n.in(0);
  int64_t k = n.intAttr("k", 0), to = n.intAttr("dtype", -1);
  Type element = n.has("dtype") ? elementType(n.b.getContext(), static_cast<int32_t>(to)) : elementOf(x);
  if (!element || rankOf(x) != 2)
    return n.error() << "expected a matrix and a supported element type, found " << typeText(x)
                     << (element ? "" : " and dtype " + std::to_string(to));
  FailureOr<Value> above = triangle(n, shapeOf(x), k, /*upper=*/true), below = triangle(n, shapeOf(x), k, false);
  if (failed(above) || failed(below))
    return failure();
  return n.yield(n.b.castTo(n.b.elementwise<arith::AndIOp>(*above, *below), element));
}

} // namespace

void heddle::onnx::addTriangleOps(OpTable &table) {
  table["Trilu"] = {convertTrilu, 1, 2, 14};
  table["EyeLike"] = {convertEyeLike, 1, 1, 9};
}
