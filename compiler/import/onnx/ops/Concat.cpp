//===- Concat.cpp - Concat and Split --------------------------------------===//

#include "OpTable.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

LogicalResult convertConcat(NodeContext &n) {
  if (!n.has("axis"))
    return n.error() << "attribute 'axis' is missing";
  if (llvm::is_contained(n.operands(), Value()))
    return n.error() << "one of the inputs is missing";
  FailureOr<int64_t> axis = n.axis(n.intAttr("axis", 0), rankOf(n.in(0)));
  if (failed(axis) || failed(n.requireSameElements(n.operands())))
    return failure();
  Shape shape(shapeOf(n.in(0)));
  shape[*axis] = 0;
  SmallVector<Value> parts;
  for (Value operand : n.operands()) {
    Shape other(shapeOf(operand));
    bool fits = other.size() == shape.size();
    if (fits) {
      std::swap(other[*axis], shape[*axis]);
      fits = ArrayRef(other).take_front(*axis) == ArrayRef(shape).take_front(*axis) &&
             ArrayRef(other).drop_front(*axis + 1) == ArrayRef(shape).drop_front(*axis + 1);
      shape[*axis] += other[*axis];
    }
    if (!fits)
      return n.error() << typeText(operand) << " cannot be appended to " << typeText(n.in(0)) << " along axis "
                       << *axis;
    if (shapeOf(operand)[*axis].number() != 0)
      parts.push_back(operand);
  }
  if (failed(n.checkShape(shape)))
    return failure();
  return n.yield(parts.empty() ? n.in(0) : n.b.concat(parts, *axis));
}

/// The sizes of the parts are an attribute up to opset 12, and an input from opset 13 on. If they are absent, all parts
/// have the same size; from opset 18 on, the last part may be smaller.
LogicalResult convertSplit(NodeContext &n) {
  Shape shape = shapeOf(n.in(0));
  FailureOr<int64_t> axis = n.axis(n.intAttr("axis", 0), shape.size());
  if (failed(axis))
    return failure();
  int64_t parts = n.node.outputs.size();
  Dim extent = shape[*axis];
  std::optional<Shape> sizes;
  if (n.opset < 13) {
    if (std::optional<Numbers> given = n.intsAttr("split"))
      sizes = Shape(given->begin(), given->end());
  } else if (n.in(1)) {
    FailureOr<Shape> given = n.integers(1, "the sizes");
    if (failed(given))
      return failure();
    sizes = *given;
  }
  if (n.opset >= 18 && n.has("num_outputs") && n.intAttr("num_outputs", 0) != parts)
    return n.error() << "num_outputs is " << n.intAttr("num_outputs", 0) << ", expected the number of outputs, "
                     << parts;
  if (!sizes) {
    Dim size = (extent + parts - 1) / parts;
    if (size * (parts - 1) > extent || (n.opset < 18 && size * parts != extent))
      return n.error() << "dimension " << *axis << " of " << typeText(n.in(0))
                       << " cannot be divided into equal parts for the outputs, whose number is " << parts;
    sizes = Shape(parts, size);
    sizes->back() = extent - size * (parts - 1);
  }
  Dim offset = 0;
  bool fits = static_cast<int64_t>(sizes->size()) == parts;
  for (const Dim &size : *sizes) {
    fits = fits && size >= 0 && offset + size <= extent;
    if (fits)
      offset += size;
  }
  if (!fits || offset != extent)
    return n.error() << "sizes " << shapeText(*sizes) << " do not divide dimension " << *axis << " of "
                     << typeText(n.in(0)) << " into parts for the outputs, whose number is " << parts;
  offset = 0;
  for (auto [i, size] : llvm::enumerate(*sizes)) {
    (void)n.yield(i, n.b.slice(n.in(0), *axis, offset, size));
    offset += size;
  }
  return success();
}

} // namespace

void heddle::onnx::addConcatOps(OpTable &table) {
  table["Concat"] = {convertConcat, 1, variadic};
  table["Split"] = {convertSplit, 1, 2};
}
