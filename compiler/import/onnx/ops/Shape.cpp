//===- Shape.cpp - reshapes and transposes --------------------------------===//

#include "OpTable.h"

#include "sizes/SizeScope.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

LogicalResult convertTranspose(NodeContext &n) {
  int64_t rank = rankOf(n.in(0));
  Numbers permutation = n.intsAttr("perm").value_or(Numbers());
  if (!n.has("perm"))
    for (int64_t dim = rank - 1; dim >= 0; --dim)
      permutation.push_back(dim);
  Numbers sorted = permutation;
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, rank)))
    return n.error() << "perm " << shapeText(permutation) << " is not a permutation of " << rank << " dimensions";
  return n.yield(n.b.transpose(n.in(0), permutation));
}

/// Converts Reshape. If an extent is 0, the operand's extent is copied (unless allowzero is set). One extent may be -1;
/// it is inferred from the other extents.
LogicalResult convertReshape(NodeContext &n) {
  bool allowZero = n.intAttr("allowzero", 0);
  FailureOr<Shape> wanted = n.integers(1, "the shape");
  if (failed(wanted))
    return failure();
  Shape from = shapeOf(n.in(0));
  Dim total = countOf(n.in(0));
  Shape shape = *wanted;
  int64_t inferred = -1;
  for (auto [i, extent] : llvm::enumerate(shape)) {
    if (!extent.isFixed() && extent.low() <= 0 && !allowZero &&
        (i >= from.size() || extent.asExpression() != from[i].asExpression()))
      return n.error() << "extent '" << extent.text() << "' of the shape"
                       << heddle::SizeScope::current()->example(extent.asExpression())
                       << ": at sizes where the extent is 0, it would copy a dimension";
    if (extent.number() == 0 && !allowZero) {
      if (i >= from.size())
        return n.error() << "shape " << shapeText(*wanted) << " copies dimension " << i << ", which "
                         << typeText(n.in(0)) << " does not have";
      extent = from[i];
    } else if (extent.number() == -1) {
      if (inferred >= 0)
        return n.error() << "shape " << shapeText(*wanted) << " has -1 twice";
      inferred = i;
      extent = 1;
    }
  }
  std::optional<Dim> count = countElements(shape);
  if (count && inferred >= 0)
    if (std::optional<Dim> rest = divideExactly(total, *count)) {
      shape[inferred] = *rest;
      count = total;
    }
  if (!count || *count != total)
    return n.error() << typeText(n.in(0)) << " cannot have shape " << shapeText(*wanted);
  return n.yield(n.b.reshape(n.in(0), shape));
}

/// Collapses the dimensions before `axis` into one dimension, and all other dimensions into a second dimension.
LogicalResult convertFlatten(NodeContext &n) {
  Shape shape = shapeOf(n.in(0));
  int64_t axis = n.intAttr("axis", 1), rank = shape.size();
  if (axis < -rank || axis > rank)
    return n.error() << "axis " << axis << " is out of range for rank " << rank;
  if (axis < 0)
    axis += rank;
  Shape flat{1, 1};
  for (auto [dim, extent] : llvm::enumerate(shape))
    flat[static_cast<int64_t>(dim) >= axis] *= extent;
  return n.yield(n.b.reshape(n.in(0), flat));
}

/// Reads the axes of Squeeze and Unsqueeze, which are an attribute up to opset 12 and an input from opset 13 on.
/// Returns nothing if they are absent.
FailureOr<std::optional<Numbers>> readAxes(NodeContext &n) {
  if (n.opset < 13)
    return n.intsAttr("axes");
  if (!n.in(1))
    return std::optional<Numbers>();
  FailureOr<Numbers> axes = n.numbers(1, "the axes");
  if (failed(axes))
    return failure();
  return std::optional<Numbers>(*axes);
}

LogicalResult convertSqueeze(NodeContext &n) {
  FailureOr<std::optional<Numbers>> given = readAxes(n);
  if (failed(given))
    return failure();
  Shape from = shapeOf(n.in(0));
  FailureOr<Numbers> axes = n.axes(given->value_or(Numbers()), from.size());
  if (failed(axes))
    return failure();
  Shape shape;
  for (auto [dim, extent] : llvm::enumerate(from)) {
    bool named = llvm::is_contained(*axes, dim);
    if (named && extent != 1)
      return n.error() << "dimension " << dim << " of " << typeText(n.in(0))
                       << " cannot be removed: its extent is not 1";
    if (*given ? !named : extent != 1)
      shape.push_back(extent);
  }
  return n.yield(n.b.reshape(n.in(0), shape));
}

LogicalResult convertUnsqueeze(NodeContext &n) {
  FailureOr<std::optional<Numbers>> given = readAxes(n);
  if (failed(given))
    return failure();
  if (!*given)
    return n.error() << "the axes are missing";
  Shape shape(shapeOf(n.in(0)));
  FailureOr<Numbers> axes = n.axes(**given, shape.size() + (*given)->size());
  if (failed(axes))
    return failure();
  for (int64_t axis : *axes) // the axes are sorted, so later insertions do not move an inserted axis
    shape.insert(shape.begin() + axis, 1);
  return n.yield(n.b.reshape(n.in(0), shape));
}

/// Converts Expand, which broadcasts in both directions: the shape may contain 1 where the operand's extent is larger.
LogicalResult convertExpand(NodeContext &n) {
  FailureOr<Shape> wanted = n.integers(1, "the shape");
  if (failed(wanted) || failed(n.checkShape(*wanted)))
    return failure();
  std::optional<Shape> shape = broadcastShapes(shapeOf(n.in(0)), *wanted);
  if (!shape)
    return n.error() << typeText(n.in(0)) << " does not expand to " << shapeText(*wanted);
  if (failed(n.checkShape(*shape)))
    return failure();
  return n.yield(n.b.broadcast(n.in(0), *shape));
}

/// Converts Tile: repeats each dimension as a whole. For this purpose, inserts a new dimension before it and broadcasts
/// along the new dimension.
LogicalResult convertTile(NodeContext &n) {
  FailureOr<Shape> repeats = n.integers(1, "the repeats");
  if (failed(repeats))
    return failure();
  Shape from = shapeOf(n.in(0));
  if (repeats->size() != from.size() || llvm::any_of(*repeats, [](const Dim &r) { return r.low() < 0 || r.high() > maxElements; }))
    return n.error() << "repeats " << shapeText(*repeats) << " do not fit " << typeText(n.in(0));
  Shape spread, expanded, shape;
  for (auto [extent, repeat] : llvm::zip_equal(from, *repeats)) {
    spread.append({1, extent});
    expanded.append({repeat, extent});
    shape.push_back(extent.high() > maxElements / std::max<int64_t>(repeat.high(), 1) ? Dim(-1) : extent * repeat);
  }
  if (failed(n.checkShape(shape)) || failed(n.checkShape(expanded)))
    return failure();
  return n.yield(n.b.reshape(n.b.broadcast(n.b.reshape(n.in(0), spread), expanded), shape));
}

} // namespace

void heddle::onnx::addShapeOps(OpTable &table) {
  table["Transpose"] = {convertTranspose};
  table["Reshape"] = {convertReshape, 2, 2};
  table["Flatten"] = {convertFlatten};
  table["Squeeze"] = {convertSqueeze, 1, 2};
  table["Unsqueeze"] = {convertUnsqueeze, 1, 2};
  table["Expand"] = {convertExpand, 2, 2, 8};
  table["Tile"] = {convertTile, 2, 2};
}
