//===- EmitMovement.cpp - the same elements in other places ---------------===//

#include "Emit.h"
#include "Graph.h"

#include "Heddle.h"

#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

ArrayRef<int64_t> heddle::onnx::shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }
Type heddle::onnx::elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }
int64_t heddle::onnx::rankOf(Value value) { return cast<RankedTensorType>(value.getType()).getRank(); }

std::optional<Shape> heddle::onnx::broadcastShapes(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  Shape shape(a);
  size_t lead = a.size() - b.size();
  for (auto [i, extent] : llvm::enumerate(b)) {
    int64_t &other = shape[lead + i];
    if (other == 1)
      other = extent;
    else if (extent != 1 && extent != other)
      return std::nullopt;
  }
  return shape;
}

DenseElementsAttr Emitter::constantOf(Value value) {
  DenseElementsAttr elements;
  return matchPattern(value, m_Constant(&elements)) ? elements : DenseElementsAttr();
}

DenseElementsAttr Emitter::storedElements(Value value) const {
  if (DenseElementsAttr elements = constantOf(value))
    return elements;
  auto weight = value.getDefiningOp<WeightOp>();
  if (!weight || !weight.getRecipe().empty())
    return {};
  const StoredTensor *stored = weights.find(weight.getName());
  if (!stored || stored->type.getNumElements() > foldLimit)
    return {};
  return fromBytes(stored->type, stored->bytes);
}

std::optional<SmallVector<int64_t>> Emitter::integersOf(Value value) {
  DenseElementsAttr elements = constantOf(value);
  return elements ? onnx::integersOf(elements) : std::nullopt;
}

std::optional<double> Emitter::splatOf(Value value) {
  DenseElementsAttr elements = constantOf(value);
  if (!elements || !elements.isSplat())
    return std::nullopt;
  if (elementOf(value).isInteger(1))
    return elements.getSplatValue<bool>();
  if (!isFloat(value))
    return static_cast<double>(elements.getSplatValue<APInt>().getSExtValue());
  APFloat number = elements.getSplatValue<APFloat>();
  bool lossy;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lossy);
  return number.convertToDouble();
}

Value Emitter::constant(DenseElementsAttr elements) {
  if (!elements.isSplat())
    foldedBytes += *storedSize(cast<RankedTensorType>(elements.getType()));
  return arith::ConstantOp::create(*this, elements);
}

Value Emitter::splat(ArrayRef<int64_t> shape, Type element, double value) {
  TypedAttr attribute;
  if (isa<FloatType>(element))
    attribute = getFloatAttr(element, value);
  else
    attribute = getIntegerAttr(element, static_cast<int64_t>(value));
  return constant(DenseElementsAttr::get(RankedTensorType::get(shape, element), Attribute(attribute)));
}

Value Emitter::integers(ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
  return constant(DenseElementsAttr::get(RankedTensorType::get(shape, getI64Type()), values));
}

Value Emitter::empty(ArrayRef<int64_t> shape, Type element) {
  return tensor::EmptyOp::create(*this, shape, element);
}

Value Emitter::reshape(Value value, ArrayRef<int64_t> shape) {
  // Reshapes of reshapes start from the first one's operand.
  if (!constantOf(value))
    while (true) {
      if (shapeOf(value) == shape)
        return value;
      if (auto expand = value.getDefiningOp<tensor::ExpandShapeOp>())
        value = expand.getSrc();
      else if (auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>())
        value = collapse.getSrc();
      else
        break;
    }
  if (shapeOf(value) == shape)
    return value;
  auto type = RankedTensorType::get(shape, elementOf(value));
  if (DenseElementsAttr elements = constantOf(value))
    return constant(elements.reshape(type));

  auto source = cast<RankedTensorType>(value.getType());
  if (source.getRank() != type.getRank()) {
    if (auto groups = getReassociationIndicesForReshape(source, type)) {
      if (source.getRank() < type.getRank())
        return tensor::ExpandShapeOp::create(*this, type, value, *groups);
      return tensor::CollapseShapeOp::create(*this, type, value, *groups);
    }
  }
  // No grouping of dimensions does it: through one dimension.
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
  ArrayRef<int64_t> from = shapeOf(value);
  Shape shape, strides, sourceStrides = stridesOf(from);
  for (int64_t dim : permutation) {
    shape.push_back(from[dim]);
    strides.push_back(sourceStrides[dim]);
  }
  if (DenseElementsAttr elements = constantOf(value))
    return constant(gatherStrided(elements, shape, 0, strides));
  return linalg::TransposeOp::create(*this, value, empty(shape, elementOf(value)), permutation)->getResult(0);
}

Value Emitter::broadcast(Value value, ArrayRef<int64_t> shape, bool fold) {
  ArrayRef<int64_t> from = shapeOf(value);
  if (from == shape)
    return value;
  int64_t lead = shape.size() - from.size();
  Shape kept, added, strides(shape.size(), 0), sourceStrides = stridesOf(from);
  for (int64_t dim = 0, rank = shape.size(); dim < rank; ++dim) {
    if (dim < lead || (from[dim - lead] == 1 && shape[dim] != 1)) {
      added.push_back(dim);
      continue;
    }
    kept.push_back(shape[dim]);
    strides[dim] = sourceStrides[dim - lead];
  }
  DenseElementsAttr elements = constantOf(value);
  std::optional<int64_t> count = countElements(shape);
  if (elements && (elements.isSplat() || (fold && count && *count <= foldLimit)))
    return constant(gatherStrided(elements, shape, 0, strides));
  if (llvm::all_of(added, [&](int64_t dim) { return shape[dim] == 1; }))
    return reshape(value, shape);
  value = reshape(value, kept);
  return linalg::BroadcastOp::create(*this, value, empty(shape, elementOf(value)), added)->getResult(0);
}

Value Emitter::slice(Value value, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes,
                     ArrayRef<int64_t> steps) {
  ArrayRef<int64_t> from = shapeOf(value);
  if (from == sizes && llvm::all_of(llvm::zip(sizes, steps), [](auto pair) {
        return std::get<0>(pair) <= 1 || std::get<1>(pair) == 1;
      }))
    return value;
  if (DenseElementsAttr elements = constantOf(value)) {
    int64_t base = 0;
    Shape strides = stridesOf(from);
    for (size_t dim = 0; dim < from.size(); ++dim) {
      base += offsets[dim] * strides[dim];
      strides[dim] *= steps[dim];
    }
    return constant(gatherStrided(elements, sizes, base, strides));
  }
  if (llvm::all_of(steps, [](int64_t step) { return step > 0; })) {
    auto mixed = [&](ArrayRef<int64_t> values) { return getAsIndexOpFoldResult(getContext(), values); };
    return tensor::ExtractSliceOp::create(*this, value, mixed(offsets), mixed(sizes), mixed(steps));
  }
  // Backwards: element by element.
  return generate(sizes, elementOf(value), {}, [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
    SmallVector<Value> at;
    for (size_t dim = 0; dim < from.size(); ++dim) {
      Value i = linalg::IndexOp::create(b, dim);
      Value step = arith::ConstantIndexOp::create(b, steps[dim]);
      Value offset = arith::ConstantIndexOp::create(b, offsets[dim]);
      at.push_back(arith::AddIOp::create(b, arith::MulIOp::create(b, i, step), offset));
    }
    return tensor::ExtractOp::create(b, value, at);
  });
}

Value Emitter::slice(Value value, int64_t axis, int64_t offset, int64_t count, int64_t stride) {
  Shape offsets(rankOf(value), 0), sizes(shapeOf(value)), strides(rankOf(value), 1);
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
  bool known = true;
  for (Value value : values) {
    shape[axis] += shapeOf(value)[axis];
    known &= constantOf(value) != nullptr;
  }
  auto type = RankedTensorType::get(shape, elementOf(values.front()));
  if (!known || type.getNumElements() > foldLimit)
    return tensor::ConcatOp::create(*this, type, axis, values);
  // Rows of every operand in turn, for each index before the axis.
  int64_t outer = 1;
  for (int64_t dim = 0; dim < axis; ++dim)
    outer *= shape[dim];
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

Value Emitter::generate(ArrayRef<int64_t> shape, Type element, ValueRange inputs,
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
