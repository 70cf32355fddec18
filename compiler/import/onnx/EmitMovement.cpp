//===- EmitMovement.cpp - reshapes, transposes, slices and broadcasts -----===//

#include "Emit.h"
#include "Graph.h"
#include "SmallIntegers.h"

#include "sizes/SizeScope.h"

#include "Heddle.h"

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

Value Emitter::empty(ArrayRef<Dim> shape, Type element) {
  return tensor::EmptyOp::create(*this, numbersOf(shape), element);
}

Value Emitter::reshape(Value value, ArrayRef<Dim> dims) {
  if (value.getDefiningOp<SizesOp>() && !(shapeOf(value) == dims))
    if (std::optional<SizedTensor> sized = SizedTensor::of(value))
      return sized->reshaped(dims).emit(*this);
  Numbers shape = numbersOf(dims);
  auto shapeOf = [](Value of) { return cast<RankedTensorType>(of.getType()).getShape(); };
  // If `value` is the result of reshapes, reshapes their source instead.
  if (!constantOf(value))
    while (true) {
      if (shapeOf(value) == ArrayRef(shape))
        return value;
      if (auto expand = value.getDefiningOp<tensor::ExpandShapeOp>())
        value = expand.getSrc();
      else if (auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>())
        value = collapse.getSrc();
      else
        break;
    }
  if (shapeOf(value) == ArrayRef(shape))
    return value;
  auto type = RankedTensorType::get(shape, elementOf(value));
  if (DenseElementsAttr elements = constantOf(value))
    return constant(elements.isSplat() ? elements.resizeSplat(type) : elements.reshape(type));

  auto source = cast<RankedTensorType>(value.getType());
  if (source.getNumElements() != type.getNumElements())
    return reshapeByElement(value, dims);
  if (source.getRank() != type.getRank()) {
    if (auto groups = getReassociationIndicesForReshape(source, type)) {
      if (source.getRank() < type.getRank())
        return tensor::ExpandShapeOp::create(*this, type, value, *groups);
      return tensor::CollapseShapeOp::create(*this, type, value, *groups);
    }
  }
  // If neither an expansion nor a collapse suffices, collapses all dimensions to one and expands this dimension.
  auto flat = RankedTensorType::get({source.getNumElements()}, source.getElementType());
  if (source.getRank() != 1) {
    SmallVector<ReassociationIndices> all;
    if (source.getRank() > 0)
      all.push_back(llvm::to_vector(llvm::seq<int64_t>(0, source.getRank())));
    if (source.getRank() > 1)
      value = tensor::CollapseShapeOp::create(*this, flat, value, all);
    else
      value = tensor::ExpandShapeOp::create(*this, flat, value, all);
  }
  if (type.getRank() == 1)
    return value;
  SmallVector<ReassociationIndices> all;
  if (type.getRank() > 0)
    all.push_back(llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
  if (type.getRank() > 1)
    return tensor::ExpandShapeOp::create(*this, type, value, all);
  return tensor::CollapseShapeOp::create(*this, type, value, all);
}

Value Emitter::transpose(Value value, ArrayRef<int64_t> permutation) {
  if (llvm::equal(permutation, llvm::seq<int64_t>(0, permutation.size())))
    return value;
  if (value.getDefiningOp<SizesOp>())
    if (std::optional<SizedTensor> sized = SizedTensor::of(value))
      return sized->transposed(permutation).emit(*this);
  ArrayRef<int64_t> from = cast<RankedTensorType>(value.getType()).getShape();
  Numbers shape, strides, sourceStrides = stridesOf(from);
  for (int64_t dim : permutation) {
    shape.push_back(from[dim]);
    strides.push_back(sourceStrides[dim]);
  }
  if (DenseElementsAttr elements = constantOf(value))
    return constant(gatherStrided(elements, shape, 0, strides));
  if (auto stored = value.getDefiningOp<DequantizeOp>();
      stored && !stored.isPlain() && !stored.getOutliers() && isStored(value))
    return transposeStored(*this, value, permutation);
  Value init = tensor::EmptyOp::create(*this, shape, elementOf(value));
  return linalg::TransposeOp::create(*this, value, init, permutation)->getResult(0);
}

Value Emitter::broadcast(Value value, ArrayRef<Dim> shape, bool fold) {
  Shape from = shapeOf(value);
  if (numbersOf(from) == numbersOf(shape))
    return value;
  DenseElementsAttr elements = constantOf(value);
  // An integer constant that is not a splat is not folded if its new shape depends on sizes or has many elements. It
  // becomes a heddle.sizes operation, whose elements are computed in each call of the model.
  if (value.getDefiningOp<SizesOp>() || (elements && !elements.isSplat() && !canFold(shape)))
    if (std::optional<SizedTensor> sized = SizedTensor::of(value))
      return sized->broadcast(shape).emit(*this);
  int64_t lead = shape.size() - from.size();
  Shape kept;
  Numbers added, strides(shape.size(), 0), sourceStrides = stridesOf(numbersOf(from));
  for (int64_t dim = 0, rank = shape.size(); dim < rank; ++dim) {
    if (dim < lead || (from[dim - lead].number() == 1 && shape[dim].number() != 1)) {
      added.push_back(dim);
      continue;
    }
    kept.push_back(shape[dim]);
    strides[dim] = sourceStrides[dim - lead];
  }
  if (elements && (elements.isSplat() || (fold && canFold(shape))))
    return constant(gatherStrided(elements, numbersOf(shape), 0, strides));
  if (llvm::all_of(added, [&](int64_t dim) { return shape[dim].number() == 1; }))
    return reshape(value, shape);
  value = reshape(value, kept);
  return linalg::BroadcastOp::create(*this, value, empty(shape, elementOf(value)), added)->getResult(0);
}

/// Returns whether all steps are positive and the slice lies inside its tensor when placeholders replace the sizes.
/// Records in the SizeScope that the slice must lie inside: if the placeholders violate this, the model is imported
/// again with placeholders that satisfy it, if there are any (SizeScope::needsOtherPlaceholders).
static bool isInside(ArrayRef<Dim> from, ArrayRef<Dim> offsets, ArrayRef<Dim> sizes, ArrayRef<int64_t> steps) {
  SizeScope *scope = SizeScope::current();
  bool fits = llvm::all_of(steps, [](int64_t step) { return step > 0; });
  for (auto [extent, offset, size, step] : llvm::zip_equal(from, offsets, sizes, steps)) {
    if (!fits || !scope)
      break;
    scope->requireNotNegative((extent - 1 - offset - (size - 1) * step).asExpression());
    scope->requireNotNegative((extent - 1 - offset).asExpression());
    fits = numberOf(offset) + (numberOf(size) - 1) * step < numberOf(extent);
  }
  return fits;
}

/// If the slice is a slice of another slice, creates a placeholder for its offset in the whole tensor, because MLIR
/// folds both slices to one operation with this offset.
static void placeInWhole(Value value, ArrayRef<Dim> offsets) {
  Shape whole(offsets);
  for (auto inner = value.getDefiningOp<tensor::ExtractSliceOp>(); inner && SizeScope::current();
       inner = inner.getSource().getDefiningOp<tensor::ExtractSliceOp>())
    for (auto [dim, offset, step] : llvm::zip_equal(whole, inner.getStaticOffsets(), inner.getStaticStrides()))
      numberOf(dim = dim * step + SizeScope::current()->of(offset));
}

Value Emitter::slice(Value value, ArrayRef<Dim> offsets, ArrayRef<Dim> sizes, ArrayRef<int64_t> steps) {
  Shape from = shapeOf(value);
  auto isWhole = [](auto of) {
    auto [extent, offset, size, step] = of;
    return numberOf(extent) == numberOf(size) && offset.number() == 0 && (step == 1 || size.number() == 1);
  };
  if (llvm::all_of(llvm::zip_equal(from, offsets, sizes, steps), isWhole))
    return value;
  bool folds = constantOf(value) && canFold(sizes) && fixedNumbers(offsets);
  if (std::optional<SizedTensor> sized = SizedTensor::of(value); sized && !folds)
    return sized->sliced(offsets, sizes, steps).emit(*this);
  if (DenseElementsAttr elements = constantOf(value)) {
    std::optional<Numbers> places = fixedNumbers(offsets);
    if (elements.isSplat())
      return constant(elements.resizeSplat(typeOf(sizes, elementOf(value))));
    if (places && canFold(sizes)) {
      int64_t base = 0;
      Numbers strides = stridesOf(numbersOf(from));
      for (size_t dim = 0; dim < from.size(); ++dim) {
        base += (*places)[dim] * strides[dim];
        strides[dim] *= steps[dim];
      }
      return constant(gatherStrided(elements, numbersOf(sizes), base, strides));
    }
  }
  // An empty slice may begin after the last row, where MLIR allows no slice to begin.
  if (onnx::isEmpty(sizes))
    return empty(sizes, elementOf(value));
  if (!isInside(from, offsets, sizes, steps))
    return sliceByElement(value, offsets, sizes, steps);
  placeInWhole(value, offsets);
  auto mixed = [&](ArrayRef<int64_t> values) { return getAsIndexOpFoldResult(getContext(), values); };
  return tensor::ExtractSliceOp::create(*this, value, mixed(numbersOf(offsets)), mixed(numbersOf(sizes)), mixed(steps));
}

Value Emitter::slice(Value value, int64_t axis, const Dim &offset, const Dim &count, int64_t stride) {
  Shape offsets(rankOf(value), 0), sizes(shapeOf(value));
  Numbers strides(rankOf(value), 1);
  offsets[axis] = offset;
  sizes[axis] = count;
  strides[axis] = stride;
  return slice(value, offsets, sizes, strides);
}

Value Emitter::concat(ValueRange values, int64_t axis) {
  if (values.size() == 1)
    return values.front();
  Shape shape(shapeOf(values.front()));
  shape[axis] = 0;
  bool known = true, isSized = false;
  SmallVector<SizedTensor> sizedParts;
  for (Value value : values) {
    shape[axis] += shapeOf(value)[axis];
    known &= constantOf(value) && fixedNumbers(shapeOf(value));
    isSized |= bool(value.getDefiningOp<SizesOp>());
    if (std::optional<SizedTensor> part = SizedTensor::of(value))
      sizedParts.push_back(std::move(*part));
  }
  known &= canFold(shape);
  if ((isSized || !known) && sizedParts.size() == values.size())
    if (std::optional<SizedTensor> sized = SizedTensor::concat(sizedParts, axis, shape))
      return sized->emit(*this);
  auto type = typeOf(shape, elementOf(values.front()));
  Dim begin = 0; // `numberOf` creates a placeholder for the offset of each part
  int64_t total = numberOf(shapeOf(values.back())[axis]);
  for (Value value : known ? ValueRange() : values.drop_back()) {
    total += numberOf(shapeOf(value)[axis]);
    numberOf(begin += shapeOf(value)[axis]);
  }
  if (!known && total != type.getDimSize(axis))
    return concatByElement(values, axis, shape);
  if (!known)
    return tensor::ConcatOp::create(*this, type, axis, values);
  // Copies the rows of all operands, one operand after the other, for each index of the outer dimensions.
  int64_t outer = 1;
  for (int64_t dim = 0; dim < axis; ++dim)
    outer *= *shape[dim].number();
  std::vector<std::vector<char>> parts;
  for (Value value : values)
    parts.push_back(bytesOf(constantOf(value)));
  std::vector<char> bytes;
  for (int64_t row = 0; row < outer; ++row)
    for (const std::vector<char> &part : parts) {
      size_t width = part.size() / outer;
      bytes.insert(bytes.end(), part.begin() + row * width, part.begin() + (row + 1) * width);
    }
  return constant(fromBytes(type, bytes));
}

Value Emitter::generate(ArrayRef<Dim> shape, Type element, ValueRange inputs,
                        function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> body) {
  SmallVector<AffineMap> maps(inputs.size() + 1, getMultiDimIdentityMap(shape.size()));
  SmallVector<utils::IteratorType> iterators(shape.size(), utils::IteratorType::parallel);
  Value init = empty(shape, element);
  auto op = linalg::GenericOp::create(*this, init.getType(), inputs, init, maps, iterators,
                                      [&](OpBuilder &b, Location loc, ValueRange args) {
                                        ImplicitLocOpBuilder inner(loc, b);
                                        Value result = body(inner, args.drop_back());
                                        linalg::YieldOp::create(inner, result);
                                      });
  return op.getResult(0);
}
