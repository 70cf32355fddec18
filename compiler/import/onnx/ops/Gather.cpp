//===- Gather.cpp - lookups: Gather, GatherND, GatherElements -------------===//
//
// Indices known at import become slices and broadcasts where they can. An index
// from an input gets its legal range written on the input; a computed one that is
// not provably in range is checked in the call.
//
//===----------------------------------------------------------------------===//

#include "Gather.h"
#include "OpTable.h"

#include "Heddle.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

/// Counts negative indices from the end; all must be in range.
LogicalResult normalize(NodeContext &n, SmallVectorImpl<int64_t> &indices, int64_t extent) {
  for (int64_t &index : indices) {
    if (index < -extent || index >= extent)
      return n.error() << "index " << index << " is out of range for an extent of " << extent;
    if (index < 0)
      index += extent;
  }
  return success();
}

/// Constant indices that walk `data` with one step in some of their dimensions and
/// stay put in the others.
struct Walk {
  int64_t start = 0, step = 1, count = 0;
  Shape spread; // the shape of the indices with 1 where they stay put
};

std::optional<Walk> findWalk(ArrayRef<int64_t> indices, ArrayRef<int64_t> shape) {
  Walk walk;
  walk.spread = Shape(shape);
  if (indices.empty())
    return walk;
  Shape strides = stridesOf(shape);
  walk.start = indices.front();
  walk.count = 1;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] > 1 && indices[strides[dim]] == walk.start)
      walk.spread[dim] = 1;
    walk.count *= walk.spread[dim];
  }
  // Each place must hold start + step * its number among the places that move.
  Shape numbers = stridesOf(walk.spread);
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (walk.spread[dim] == 1)
      numbers[dim] = 0;
  bool fits = true, known = false;
  const int64_t *next = indices.begin();
  forEachIndex(shape, [&](ArrayRef<int64_t> at) {
    int64_t number = 0;
    for (auto [i, stride] : llvm::zip_equal(at, numbers))
      number += i * stride;
    int64_t index = *next++;
    if (number == 1 && !known) {
      walk.step = index - walk.start;
      known = true;
    }
    fits &= walk.step > 0 && index == walk.start + number * walk.step;
  });
  return fits ? std::optional<Walk>(walk) : std::nullopt;
}

Value foldGather(Emitter &b, DenseElementsAttr data, ArrayRef<int64_t> indices, int64_t axis,
                 RankedTensorType result) {
  ArrayRef<int64_t> shape = data.getType().getShape();
  std::vector<char> from = bytesOf(data), to;
  size_t width = *heddle::storedElementSize(result.getElementType()) * stridesOf(shape)[axis];
  int64_t outer = 1;
  for (int64_t extent : shape.take_front(axis))
    outer *= extent;
  for (int64_t i = 0; i < outer; ++i)
    for (int64_t index : indices) {
      auto row = from.begin() + (i * shape[axis] + index) * width;
      to.insert(to.end(), row, row + width);
    }
  return b.constant(fromBytes(result, to));
}

Shape gatheredShape(ArrayRef<int64_t> data, ArrayRef<int64_t> indices, int64_t axis) {
  Shape shape(data.take_front(axis));
  llvm::append_range(shape, indices);
  llvm::append_range(shape, data.drop_front(axis + 1));
  return shape;
}

/// `index` with the extent added where it is negative, if it can be.
Value wrap(ImplicitLocOpBuilder &b, Value index, int64_t extent, bool maybeNegative) {
  if (!maybeNegative)
    return index;
  auto number = [&](int64_t value) {
    return arith::ConstantOp::create(b, b.getIntegerAttr(index.getType(), value));
  };
  Value negative = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, index, number(0));
  return arith::SelectOp::create(b, negative, arith::AddIOp::create(b, index, number(extent)), index);
}

/// Makes sure that run-time indices are in [-extent, extent), if need be by a check in the call, behind which none is
/// negative; whether they may be.
FailureOr<bool> boundIndices(NodeContext &n, Value &indices, int64_t extent) {
  if (failed(n.requireInteger(indices)))
    return failure();
  if (extent == 0)
    return n.error() << "lookup in a dimension of extent 0";
  std::optional<Interval> range = n.ranges.boundIndex(indices, extent);
  if (range && (range->high < -extent || range->low >= extent))
    return n.error() << "the indices can be " << range->low << " to " << range->high
                     << ", all outside the extent of " << extent;
  if (range && range->low >= -extent && range->high < extent)
    return range->low < 0;
  if (!llvm::isIntN(elementOf(indices).getIntOrFloatBitWidth(), extent))
    indices = n.b.castTo(indices, n.b.getI64Type());
  indices = heddle::CheckedIndexOp::create(n.b, indices, extent);
  return false;
}

/// A table of equal elements needs no lookup, unless its indices are checked. Null for any other.
Value repeated(NodeContext &n, Value table, Value indices, ArrayRef<int64_t> shape) {
  DenseElementsAttr elements = Emitter::constantOf(table);
  if (!elements || !elements.isSplat() || indices.getDefiningOp<heddle::CheckedIndexOp>())
    return {};
  return n.b.constant(gatherStrided(elements, shape, 0, Shape(shape.size(), 0)));
}

/// What is looked up lies in the range of the table's elements.
Value keepRange(NodeContext &n, Value table, Value result) {
  if (std::optional<Interval> range = n.ranges.of(table))
    n.ranges.set(result, *range);
  return result;
}

/// Each element of the result by its own lookup.
FailureOr<Value> lookUp(NodeContext &n, Value data, Value indices, int64_t axis) {
  ArrayRef<int64_t> from = shapeOf(data);
  int64_t indexRank = rankOf(indices), extent = from[axis];
  if (extent > INT32_MAX)
    indices = n.b.castTo(indices, n.b.getI64Type());
  FailureOr<bool> negative = boundIndices(n, indices, extent);
  if (failed(negative))
    return failure();
  Shape shape = gatheredShape(from, shapeOf(indices), axis);
  Emitter &b = n.b;
  if (Value same = repeated(n, data, indices, shape))
    return same;
  SmallVector<AffineExpr> indexDims;
  for (int64_t dim = 0; dim < indexRank; ++dim)
    indexDims.push_back(b.getAffineDimExpr(axis + dim));
  SmallVector<AffineMap> maps{AffineMap::get(shape.size(), 0, indexDims, b.getContext()),
                              b.getMultiDimIdentityMap(shape.size())};
  SmallVector<utils::IteratorType> iterators(shape.size(), utils::IteratorType::parallel);
  Value init = tensor::EmptyOp::create(b, shape, elementOf(data));
  auto body = [&](OpBuilder &builder, Location loc, ValueRange args) {
    ImplicitLocOpBuilder inner(loc, builder);
    SmallVector<Value> at;
    for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim)
      if (dim < axis || dim >= axis + indexRank)
        at.push_back(linalg::IndexOp::create(inner, dim));
    Value index = wrap(inner, args[0], extent, *negative);
    at.insert(at.begin() + axis, arith::IndexCastOp::create(inner, inner.getIndexType(), index));
    linalg::YieldOp::create(inner, Value(tensor::ExtractOp::create(inner, data, at)));
  };
  Value result = linalg::GenericOp::create(b, init.getType(), indices, init, maps, iterators, body).getResult(0);
  return keepRange(n, data, result);
}

} // namespace

FailureOr<Value> heddle::onnx::gather(NodeContext &n, Value data, Value indices, int64_t axis) {
  ArrayRef<int64_t> from = shapeOf(data);
  Shape shape = gatheredShape(from, shapeOf(indices), axis);
  if (failed(n.checkShape(shape)) || failed(n.requireInteger(indices)))
    return failure();
  std::optional<SmallVector<int64_t>> known = Emitter::integersOf(indices);
  if (!known)
    return lookUp(n, data, indices, axis);
  if (failed(normalize(n, *known, from[axis])))
    return failure();
  DenseElementsAttr elements = Emitter::constantOf(data);
  if (elements && *countElements(shape) <= foldLimit)
    return foldGather(n.b, elements, *known, axis, RankedTensorType::get(shape, elementOf(data)));
  if (std::optional<Walk> walk = findWalk(*known, shapeOf(indices))) {
    Value slice = n.b.slice(data, axis, walk->start, walk->count, walk->step);
    return n.b.broadcast(n.b.reshape(slice, gatheredShape(from, walk->spread, axis)), shape);
  }
  return lookUp(n, data, n.b.integers(shapeOf(indices), *known), axis);
}

namespace {

LogicalResult convertGather(NodeContext &n) {
  FailureOr<int64_t> axis = n.axis(n.intAttr("axis", 0), rankOf(n.in(0)));
  if (failed(axis))
    return failure();
  FailureOr<Value> result = gather(n, n.in(0), n.in(1), *axis);
  return failed(result) ? failure() : n.yield(*result);
}

/// One index of each tuple.
struct Column {
  Value indices;
  std::optional<SmallVector<int64_t>> known; // none of them negative
  bool negative = false;                     // whether others may be
};

/// Column `j` of index tuples.
FailureOr<Column> column(NodeContext &n, Value tuples, int64_t j, int64_t extent) {
  ArrayRef<int64_t> shape = shapeOf(tuples);
  int64_t last = shape.size() - 1;
  Column column;
  // Columns that were put together know their bounds one by one.
  if (auto concat = tuples.getDefiningOp<tensor::ConcatOp>();
      concat && int64_t(concat.getDim()) == last && int64_t(concat.getInputs().size()) == shape.back())
    column.indices = concat.getInputs()[j];
  else
    column.indices = n.b.slice(tuples, last, j, 1);
  column.indices = n.b.reshape(column.indices, shape.drop_back());
  column.known = Emitter::integersOf(column.indices);
  if (column.known)
    return failed(normalize(n, *column.known, extent)) ? FailureOr<Column>(failure()) : column;
  if (extent > INT32_MAX)
    column.indices = n.b.castTo(column.indices, n.b.getI64Type());
  FailureOr<bool> negative = boundIndices(n, column.indices, extent);
  if (failed(negative))
    return failure();
  column.negative = *negative;
  return column;
}

/// The dimension along which each number is its own place, if there is one: what is arange in a model.
std::optional<int64_t> findPlaces(ArrayRef<int64_t> numbers, ArrayRef<int64_t> shape) {
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    const int64_t *next = numbers.begin();
    bool fits = true;
    forEachIndex(shape, [&](ArrayRef<int64_t> at) { fits &= *next++ == at[dim]; });
    if (fits)
      return dim;
  }
  return std::nullopt;
}

/// The dimensions that a tuple indexes become one, and the tuple one index.
FailureOr<Value> gatherKnown(NodeContext &n, Value data, ArrayRef<Column> columns, ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> from = shapeOf(data);
  SmallVector<int64_t> indices(columns.front().known->size(), 0);
  int64_t leading = 1;
  for (auto [column, extent] : llvm::zip(columns, from)) {
    for (auto [index, next] : llvm::zip_equal(indices, *column.known))
      index = index * extent + next;
    leading *= extent;
  }
  Shape collapsed(from.drop_front(columns.size()));
  collapsed.insert(collapsed.begin(), leading);
  return gather(n, n.b.reshape(data, collapsed), n.b.integers(shape, indices), 0);
}

/// Each element of the result by a lookup of its own, in all dimensions that a tuple indexes.
FailureOr<Value> lookUpTuples(NodeContext &n, Value data, ArrayRef<Column> columns, ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> from = shapeOf(data);
  Shape result(shape);
  llvm::append_range(result, from.drop_front(columns.size()));
  if (failed(n.checkShape(result)))
    return failure();
  SmallVector<AffineExpr> places;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    places.push_back(n.b.getAffineDimExpr(dim));
  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs;
  SmallVector<std::optional<int64_t>> ownDims;
  for (const Column &column : columns) {
    ownDims.push_back(column.known ? findPlaces(*column.known, shape) : std::nullopt);
    if (ownDims.back())
      continue;
    inputs.push_back(column.known ? n.b.integers(shape, *column.known) : column.indices);
    maps.push_back(AffineMap::get(result.size(), 0, places, n.b.getContext()));
  }
  maps.push_back(n.b.getMultiDimIdentityMap(result.size()));
  SmallVector<utils::IteratorType> iterators(result.size(), utils::IteratorType::parallel);
  Value init = tensor::EmptyOp::create(n.b, result, elementOf(data));
  auto body = [&](OpBuilder &builder, Location loc, ValueRange args) {
    ImplicitLocOpBuilder b(loc, builder);
    SmallVector<Value> at;
    for (auto [column, ownDim, extent] : llvm::zip(columns, ownDims, from)) {
      if (ownDim) {
        at.push_back(linalg::IndexOp::create(b, *ownDim));
        continue;
      }
      Value index = wrap(b, args.front(), extent, column.negative);
      at.push_back(arith::IndexCastOp::create(b, b.getIndexType(), index));
      args = args.drop_front();
    }
    for (size_t dim = shape.size(); dim < result.size(); ++dim)
      at.push_back(linalg::IndexOp::create(b, dim));
    linalg::YieldOp::create(b, Value(tensor::ExtractOp::create(b, data, at)));
  };
  return keepRange(n, data,
                   linalg::GenericOp::create(n.b, init.getType(), inputs, init, maps, iterators, body).getResult(0));
}

LogicalResult convertGatherND(NodeContext &n) {
  Value data = n.in(0), tuples = n.in(1);
  if (n.intAttr("batch_dims", 0) != 0)
    return n.error() << "batch_dims other than 0 is not supported";
  if (rankOf(tuples) == 0 || failed(n.requireInteger(tuples)))
    return n.error() << "expected index tuples, found " << typeText(tuples);
  ArrayRef<int64_t> from = shapeOf(data), shape = shapeOf(tuples).drop_back();
  int64_t length = shapeOf(tuples).back();
  if (length < 1 || length > static_cast<int64_t>(from.size()))
    return n.error() << "tuples of " << length << " indices into " << typeText(data);
  SmallVector<Column> columns;
  for (int64_t j = 0; j < length; ++j) {
    FailureOr<Column> next = column(n, tuples, j, from[j]);
    if (failed(next))
      return failure();
    columns.push_back(std::move(*next));
  }
  bool isKnown = llvm::all_of(columns, [](const Column &column) { return column.known.has_value(); });
  FailureOr<Value> result = (isKnown ? gatherKnown : lookUpTuples)(n, data, columns, shape);
  return failed(result) ? failure() : n.yield(*result);
}

/// result[i, j, ..] = data[i, indices[i, j, ..], ..] for axis 1
LogicalResult convertGatherElements(NodeContext &n) {
  Value data = n.in(0), indices = n.in(1);
  FailureOr<int64_t> axis = n.axis(n.intAttr("axis", 0), rankOf(data));
  if (failed(axis))
    return failure();
  ArrayRef<int64_t> from = shapeOf(data), shape = shapeOf(indices);
  bool fits = from.size() == shape.size();
  for (size_t dim = 0; fits && dim < from.size(); ++dim)
    fits = static_cast<int64_t>(dim) == *axis || shape[dim] <= from[dim];
  if (!fits)
    return n.error() << "indices " << typeText(indices) << " do not fit " << typeText(data);
  if (from[*axis] > INT32_MAX)
    indices = n.b.castTo(indices, n.b.getI64Type());
  FailureOr<bool> negative = boundIndices(n, indices, from[*axis]);
  if (failed(negative))
    return failure();
  if (Value same = repeated(n, data, indices, shape))
    return n.yield(same);
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
    SmallVector<Value> at;
    for (size_t dim = 0; dim < from.size(); ++dim)
      at.push_back(linalg::IndexOp::create(b, dim));
    Value index = wrap(b, args[0], from[*axis], *negative);
    at[*axis] = arith::IndexCastOp::create(b, b.getIndexType(), index);
    return tensor::ExtractOp::create(b, data, at);
  };
  return n.yield(keepRange(n, data, n.b.generate(shape, elementOf(data), indices, body)));
}

} // namespace

void heddle::onnx::addGatherOps(OpTable &table) {
  table["Gather"] = {convertGather, 2, 2};
  table["GatherND"] = {convertGatherND, 2, 2, 11};
  table["GatherElements"] = {convertGatherElements, 2, 2, 11};
}
