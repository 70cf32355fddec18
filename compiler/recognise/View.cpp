//===- View.cpp - strided views of tensors --------------------------------===//

#include "View.h"
#include "Match.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

static ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

int64_t View::numElements() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

bool View::operator==(const View &other) const {
  return base == other.base && sizes == other.sizes && strides == other.strides && factor == other.factor;
}

bool View::isContiguous() const {
  int64_t expected = 1;
  for (int k = int(rank()) - 1; k >= 0; --k) {
    if (sizes[k] == 1)
      continue;
    if (strides[k] != expected)
      return false;
    expected *= sizes[k];
  }
  return expected == cast<RankedTensorType>(base.getType()).getNumElements();
}

/// Returns the strides of a dense row-major tensor. The stride of a dimension of size 1 is 0.
static SmallVector<int64_t> denseStrides(ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> strides(sizes.size(), 0);
  int64_t stride = 1;
  for (int k = int(sizes.size()) - 1; k >= 0; --k) {
    if (sizes[k] != 1)
      strides[k] = stride;
    stride *= sizes[k];
  }
  return strides;
}

View heddle::identityView(Value value) {
  ArrayRef<int64_t> shape = shapeOf(value);
  if (ShapedType::isDynamicShape(shape)) // strides are unknown, so leave them 0
    return {value, SmallVector<int64_t>(shape), SmallVector<int64_t>(shape.size(), 0), 1.0};
  return {value, SmallVector<int64_t>(shape), denseStrides(shape), 1.0};
}

std::optional<View> View::reshaped(ArrayRef<int64_t> newSizes) const {
  // Split the dimensions of both shapes, except those of size 1, into groups from the front. A group consists of the
  // smallest numbers of old and of new dimensions whose extents have the same product. The old dimensions of a group
  // must be row-major and dense relative to each other; then the strides of the new dimensions follow from the last old
  // stride.
  if (ShapedType::isDynamicShape(sizes) || ShapedType::isDynamicShape(newSizes))
    return std::nullopt;
  View result{base, SmallVector<int64_t>(newSizes), SmallVector<int64_t>(newSizes.size(), 0), factor};
  SmallVector<int64_t> oldSizes, oldStrides;
  for (auto [size, stride] : llvm::zip_equal(sizes, strides))
    if (size != 1) {
      oldSizes.push_back(size);
      oldStrides.push_back(stride);
    }
  SmallVector<unsigned> kept; // the new dimensions whose size is not 1
  for (auto [index, size] : llvm::enumerate(newSizes))
    if (size != 1)
      kept.push_back(index);
  unsigned i = 0, j = 0;
  while (i < oldSizes.size() && j < kept.size()) {
    unsigned iEnd = i + 1, jEnd = j + 1;
    int64_t oldCount = oldSizes[i], newCount = newSizes[kept[j]];
    while (oldCount != newCount) {
      if (oldCount < newCount) {
        if (iEnd == oldSizes.size())
          return std::nullopt;
        oldCount *= oldSizes[iEnd++];
      } else {
        if (jEnd == kept.size())
          return std::nullopt;
        newCount *= newSizes[kept[jEnd++]];
      }
    }
    for (unsigned k = i; k + 1 < iEnd; ++k)
      if (oldStrides[k] != oldStrides[k + 1] * oldSizes[k + 1])
        return std::nullopt;
    int64_t stride = oldStrides[iEnd - 1];
    for (unsigned k = jEnd; k-- > j;) {
      result.strides[kept[k]] = stride;
      stride *= newSizes[kept[k]];
    }
    i = iEnd;
    j = jEnd;
  }
  if (i != oldSizes.size() || j != kept.size())
    return std::nullopt;
  return result;
}

View View::transposed(ArrayRef<int64_t> permutation) const {
  View result{base, {}, {}, factor};
  for (int64_t source : permutation) {
    result.sizes.push_back(sizes[source]);
    result.strides.push_back(strides[source]);
  }
  return result;
}

/// Returns the operand of a reshape, or null.
static Value reshapeSource(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op))
    return expand.getSrc();
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op))
    return collapse.getSrc();
  return {};
}

Value heddle::peelReshapes(Value value) {
  while (Value source = reshapeSource(value))
    value = source;
  return value;
}

namespace {

/// Follows operations backwards from a value (see traceView and traceViewAs). `trace` and `traceAs` call each other and
/// may try several paths, so the depth is limited. A value at the maximum depth becomes the base of the view.
struct Tracer {
  bool throughFactors;
  static constexpr unsigned maxDepth = 12;

  /// Returns the view of `value` in its own shape, or reshaped to `sizes`.
  View trace(Value value, unsigned depth = 0);
  std::optional<View> traceAs(Value value, ArrayRef<int64_t> sizes, unsigned depth = 0);
  std::optional<View> traceTransposeAs(linalg::TransposeOp op, ArrayRef<int64_t> sizes, unsigned depth);
};

} // namespace

View Tracer::trace(Value value, unsigned depth) {
  ArrayRef<int64_t> shape = shapeOf(value);
  Operation *op = value.getDefiningOp();
  if (depth == maxDepth)
    return identityView(value);
  if (Value source = reshapeSource(value)) {
    if (std::optional<View> view = traceAs(source, shape, depth + 1))
      return *view;
  } else if (auto transpose = dyn_cast_or_null<linalg::TransposeOp>(op)) {
    return trace(transpose.getInput(), depth + 1).transposed(transpose.getPermutation());
  } else if (auto broadcast = dyn_cast_or_null<linalg::BroadcastOp>(op)) {
    View input = trace(broadcast.getInput(), depth + 1);
    View view{input.base, SmallVector<int64_t>(shape), {}, input.factor};
    for (int64_t dim = 0, source = 0; dim < int64_t(shape.size()); ++dim)
      view.strides.push_back(llvm::is_contained(broadcast.getDimensions(), dim) ? 0 : input.strides[source++]);
    return view;
  } else if (throughFactors) {
    if (auto scaled = matchScaled(value)) {
      View view = trace(scaled->first, depth + 1);
      view.factor *= scaled->second;
      return view;
    }
  }
  return identityView(value);
}

/// Returns the view of a transpose whose result is reshaped to `sizes`. If `sizes` split each dimension of the result
/// separately, splits the dimensions of the operand in the same way. Otherwise returns nothing.
std::optional<View> Tracer::traceTransposeAs(linalg::TransposeOp op, ArrayRef<int64_t> sizes, unsigned depth) {
  SmallVector<SmallVector<int64_t>> groups; // for each dimension of the result, the indices of its parts in `sizes`
  unsigned next = 0;
  for (int64_t extent : shapeOf(op->getResult(0))) {
    SmallVector<int64_t> &group = groups.emplace_back();
    int64_t count = 1;
    while (next < sizes.size() && (count != extent || (group.empty() && sizes[next] == 1))) {
      count *= sizes[next];
      group.push_back(next++);
    }
    if (count != extent)
      return std::nullopt;
  }
  if (next != sizes.size())
    return std::nullopt;
  // Dimension i of the result is dimension permutation[i] of the operand.
  SmallVector<int64_t> inverse(groups.size()), operandSizes, position(sizes.size());
  for (auto [index, source] : llvm::enumerate(op.getPermutation()))
    inverse[source] = index;
  for (int64_t dim : inverse)
    for (int64_t index : groups[dim]) {
      position[index] = operandSizes.size();
      operandSizes.push_back(sizes[index]);
    }
  std::optional<View> view = traceAs(op.getInput(), operandSizes, depth + 1);
  return view ? std::optional(view->transposed(position)) : std::nullopt;
}

std::optional<View> Tracer::traceAs(Value value, ArrayRef<int64_t> sizes, unsigned depth) {
  if (depth < maxDepth && !ShapedType::isDynamicShape(shapeOf(value))) {
    // If a transpose precedes a reshape that merges batch and heads, strides cannot express the merged dimension. But
    // `sizes` may split this dimension again, so first try the source of the reshape.
    if (Value source = reshapeSource(value)) {
      if (std::optional<View> view = traceAs(source, sizes, depth + 1))
        return view;
    } else if (auto transpose = value.getDefiningOp<linalg::TransposeOp>()) {
      if (std::optional<View> view = traceTransposeAs(transpose, sizes, depth))
        return view;
    } else if (auto scaled = throughFactors ? matchScaled(value) : std::nullopt) {
      if (std::optional<View> view = traceAs(scaled->first, sizes, depth + 1)) {
        view->factor *= scaled->second;
        return view;
      }
    }
  }
  return trace(value, depth).reshaped(sizes);
}

View heddle::traceView(Value value, bool throughFactors) { return Tracer{throughFactors}.trace(value); }

std::optional<View> heddle::traceViewAs(Value value, ArrayRef<int64_t> sizes, bool throughFactors) {
  return Tracer{throughFactors}.traceAs(value, sizes);
}
