//===- Slice.cpp - slices -------------------------------------------------===//

#include "OpTable.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

/// The operands of a Slice. All lists have one entry for each sliced axis.
struct Bounds {
  Shape starts, ends;
  Numbers axes, steps;
};

/// Reads the bounds, which are attributes up to opset 9 and inputs from opset 10 on.
FailureOr<Bounds> readBounds(NodeContext &n) {
  Bounds bounds;
  if (n.opset < 10) {
    std::optional<Numbers> starts = n.intsAttr("starts"), ends = n.intsAttr("ends"), axes = n.intsAttr("axes");
    if (!starts || !ends)
      return n.error() << "attributes 'starts' and 'ends' are missing";
    bounds = {Shape(starts->begin(), starts->end()), Shape(ends->begin(), ends->end()), axes.value_or(Numbers()), {}};
  } else {
    FailureOr<Shape> starts = n.integers(1, "starts"), ends = failure();
    FailureOr<Numbers> axes = Numbers(), steps = Numbers();
    if (succeeded(starts))
      ends = n.integers(2, "ends");
    if (n.in(3))
      axes = n.numbers(3, "axes");
    if (n.in(4))
      steps = n.numbers(4, "steps");
    if (failed(starts) || failed(ends) || failed(axes) || failed(steps))
      return failure();
    bounds = {*starts, *ends, *axes, *steps};
  }
  if (bounds.axes.empty())
    llvm::append_range(bounds.axes, llvm::seq<int64_t>(0, bounds.starts.size()));
  if (bounds.steps.empty())
    bounds.steps.assign(bounds.starts.size(), 1);
  for (size_t size : {bounds.ends.size(), bounds.axes.size(), bounds.steps.size()})
    if (size != bounds.starts.size())
      return n.error() << "starts, ends, axes and steps differ in length";
  return bounds;
}

LogicalResult convertSlice(NodeContext &n) {
  FailureOr<Bounds> bounds = readBounds(n);
  if (failed(bounds))
    return failure();
  Shape shape = shapeOf(n.in(0));
  if (failed(n.axes(bounds->axes, shape.size())))
    return failure();
  Shape offsets(shape.size(), 0), sizes(shape);
  Numbers steps(shape.size(), 1);
  for (auto [start, end, given, step] :
       llvm::zip_equal(bounds->starts, bounds->ends, bounds->axes, bounds->steps)) {
    int64_t axis = given < 0 ? given + shape.size() : given;
    Dim extent = shape[axis];
    if (step == 0 || step == INT64_MIN)
      return n.error() << "step " << step << " is not supported";
    // Negative positions count from the end. The results are clamped to the dimension, so very large and very small
    // positions denote its ends. `far` exceeds every extent and prevents an overflow of the addition.
    auto place = [&](const Dim &given, const Dim &low, const Dim &high) {
      constexpr int64_t far = int64_t(1) << 48;
      Dim at = given.isFixed() ? Dim(std::clamp(*given.number(), -far, far)) : given;
      return clamp(select(isLess(at, 0), at + extent, at), low, high);
    };
    Dim first = step > 0 ? place(start, 0, extent) : place(start, 0, extent - 1);
    Dim last = step > 0 ? place(end, 0, extent) : place(end, -1, extent - 1);
    Dim span = step > 0 ? last - first : first - last;
    Dim count = maximum(ceilDiv(span, std::abs(step)), 0);
    offsets[axis] = count.number() == 0 ? 0 : first;
    sizes[axis] = count;
    steps[axis] = count.isFixed() && *count.number() <= 1 ? 1 : step;
  }
  return n.yield(n.b.slice(n.in(0), offsets, sizes, steps));
}

} // namespace

void heddle::onnx::addSliceOps(OpTable &table) { table["Slice"] = {convertSlice, 1, 5}; }
