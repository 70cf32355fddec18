//===- Pad.cpp - the ONNX operator Pad ------------------------------------===//

#include "OpTable.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

/// Converts Pad: adds copies of a constant before and after the tensor along each axis. A negative count removes
/// elements instead. The counts are an attribute up to opset 10, and an input from opset 11 on. Only mode `constant` is
/// supported.
LogicalResult convertPad(NodeContext &n) {
  Value x = n.in(0);
  int64_t rank = rankOf(x);
  std::string mode = n.stringAttr("mode", "constant");
  if (mode != "constant")
    return n.error() << "mode '" << mode << "' is not supported";
  Shape counts;
  Numbers axes = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  Value fill;
  if (n.opset < 11) {
    Numbers given = n.intsAttr("pads").value_or(Numbers());
    counts.assign(given.begin(), given.end());
    fill = n.b.splat({}, elementOf(x), n.floatAttr("value", 0));
  } else {
    FailureOr<Shape> given = n.integers(1, "the pads");
    FailureOr<Numbers> named = axes;
    if (succeeded(given) && n.in(3))
      named = n.numbers(3, "the axes");
    if (failed(given) || failed(named))
      return failure();
    counts = *given;
    axes = *named;
    fill = n.in(2) ? n.in(2) : n.b.splat({}, elementOf(x), 0);
  }
  if (counts.size() != 2 * axes.size())
    return n.error() << "expected " << 2 * axes.size() << " pads, found " << counts.size();
  if (failed(n.axes(axes, rank)) || failed(n.requireSameElements({x, fill})))
    return failure();
  if (cast<RankedTensorType>(fill.getType()).getNumElements() != 1)
    return n.error() << "the constant must be one element, found " << typeText(fill);
  fill = n.b.reshape(fill, {});

  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    Dim before = counts[i], after = counts[i + axes.size()], extent = shapeOf(x)[axis];
    for (const Dim &count : {before, after})
      if (count.low() / 2 < -maxElements || count.high() / 2 > maxElements)
        return n.error() << "the pads " << before.text() << " and " << after.text() << " of axis " << axis
                         << " are out of range";
    Dim cutBefore = maximum(-before, 0), cutAfter = maximum(-after, 0);
    if (cutBefore + cutAfter > extent)
      return n.error() << "the pads " << before.text() << " and " << after.text() << " of axis " << axis
                       << " cut more than its extent " << extent.text();
    x = n.b.slice(x, axis, cutBefore, extent - cutBefore - cutAfter);
    SmallVector<Value> parts;
    auto piece = [&](const Dim &given) -> LogicalResult {
      Dim count = maximum(given, 0); // if the count is 0 at some sizes, the part is empty there
      if (count.number() == 0)
        return success();
      Shape shape(shapeOf(x));
      shape[axis] = count;
      if (failed(n.checkShape(shape)))
        return failure();
      parts.push_back(n.b.broadcast(fill, shape));
      return success();
    };
    if (failed(piece(before)))
      return failure();
    parts.push_back(x);
    if (failed(piece(after)))
      return failure();
    Shape total(shapeOf(x));
    total[axis] += maximum(before, 0) + maximum(after, 0);
    if (failed(n.checkShape(total)))
      return failure();
    x = n.b.concat(parts, axis);
  }
  return n.yield(x);
}

} // namespace

void heddle::onnx::addPadOps(OpTable &table) { table["Pad"] = {convertPad, 1, 4}; }
