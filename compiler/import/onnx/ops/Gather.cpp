//===- Gather.cpp - lookups: Gather, GatherND, GatherElements -------------===//
//
// Indices known at import become slices and broadcasts where they can. An index
// from an input gets its legal range written on the input; a computed one that is
// not provably in range is checked in the call.
//
//===----------------------------------------------------------------------===//

#include "Gather.h"
#include "OpTable.h"

#include "sizes/Monomials.h"
#include "sizes/SizeScope.h"

#include "Heddle.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

/// Counts negative indices from the end; all must be in range.
LogicalResult normalize(NodeContext &n, Shape &indices, const Dim &extent) {
  for (Dim &index : indices) {
    if (index < -extent || index >= extent)
      return n.error() << "index " << index.text() << " is out of range for an extent of " << extent.text();
    index = select(isLess(index, 0), index + extent, index);
  }
  return success();
}

/// Constant indices that walk `data` with one step in some of their dimensions and
/// stay put in the others.
struct Walk {
  Dim start = 0, count = 0;
  int64_t step = 1;
  Shape spread; // the shape of the indices with 1 where they stay put
};

std::optional<Walk> findWalk(ArrayRef<int64_t> indices, ArrayRef<int64_t> shape) {
  Walk walk;
  walk.spread = Shape(shape.begin(), shape.end());
  if (indices.empty())
    return walk;
  Numbers strides = stridesOf(shape), spread(shape);
  int64_t start = indices.front(), count = 1;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] > 1 && indices[strides[dim]] == start)
      spread[dim] = 1;
    count *= spread[dim];
  }
  // Each place must hold start + step * its number among the places that move.
  Numbers numbers = stridesOf(spread);
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (spread[dim] == 1)
      numbers[dim] = 0;
  bool fits = true, known = false;
  const int64_t *next = indices.begin();
  forEachIndex(shape, [&](ArrayRef<int64_t> at) {
    int64_t number = 0;
    for (auto [i, stride] : llvm::zip_equal(at, numbers))
      number += i * stride;
    int64_t index = *next++;
    if (number == 1 && !known) {
      walk.step = index - start;
      known = true;
    }
    fits &= walk.step > 0 && index == start + number * walk.step;
  });
  walk.start = start;
  walk.count = count;
  walk.spread.assign(spread.begin(), spread.end());
  return fits ? std::optional<Walk>(walk) : std::nullopt;
}

/// The same of indices that are known but for sizes: one that is the same everywhere, or moves along one dimension.
std::optional<Walk> findWalk(const heddle::SizedTensor &indices) {
  std::optional<heddle::SizeExpression> formula = indices.formula();
  if (!formula)
    return std::nullopt;
  SmallVector<heddle::SizeExpression> first(indices.shape.size(), heddle::SizeExpression(0));
  Walk walk;
  walk.start = formula->withPlaces(first);
  walk.count = 1;
  walk.spread = Shape(indices.shape.size(), 1);
  heddle::SizeExpression rest = *formula - walk.start.asExpression();
  if (rest == heddle::SizeExpression(0))
    return walk;
  SmallVector<unsigned> places = rest.places();
  auto factors = rest.factors();
  if (places.size() != 1 || rest != heddle::SizeExpression::place(places[0]) * factors.number || factors.number <= 0)
    return std::nullopt;
  walk.step = factors.number;
  walk.count = walk.spread[places[0]] = indices.shape[places[0]];
  return walk;
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

Shape gatheredShape(ArrayRef<Dim> data, ArrayRef<Dim> indices, int64_t axis) {
  Shape shape(data.take_front(axis));
  llvm::append_range(shape, indices);
  llvm::append_range(shape, data.drop_front(axis + 1));
  return shape;
}

/// `index` with the extent added where it is negative, if it can be. `counted` is the extent where it is a size.
Value wrap(ImplicitLocOpBuilder &b, Value index, const Dim &extent, Value counted, bool maybeNegative) {
  if (!maybeNegative)
    return index;
  auto number = [&](int64_t value) {
    return arith::ConstantOp::create(b, b.getIntegerAttr(index.getType(), value));
  };
  Value negative = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, index, number(0));
  Value count = counted ? Value(arith::IndexCastOp::create(b, index.getType(), counted)) : number(*extent.number());
  return arith::SelectOp::create(b, negative, arith::AddIOp::create(b, index, count), index);
}

/// The extent as a value that each call computes; null where it is a number.
Value countedExtent(NodeContext &n, const Dim &extent) { return extent.isFixed() ? Value() : n.b.index(extent); }

/// Makes sure that run-time indices are in [-extent, extent), if need be by a check in the call, behind which none is
/// negative; whether they may be.
FailureOr<bool> boundIndices(NodeContext &n, Value &indices, const Dim &extent) {
  if (failed(n.requireInteger(indices)))
    return failure();
  if (extent.low() == 0)
    return n.error() << "lookup in a dimension that may be empty: its extent is " << extent.text()
                     << (extent.isFixed() ? "" : heddle::SizeScope::current()->example(extent.asExpression()));
  if (std::optional<heddle::SizedTensor> sized = heddle::SizedTensor::of(indices))
    if (std::optional<heddle::SizeExpression> formula = sized->formula()) {
      if (isWithin(*formula, sized->shape, 0, extent))
        return false;
      if (isWithin(*formula, sized->shape, -extent, extent))
        return true;
    }
  std::optional<Interval> range = n.ranges.boundIndex(indices, extent);
  bool isInput = range && IndexRanges::inputBehind(indices, range);
  if (range && (range->high < -extent.high() || range->low >= extent.high()))
    return n.error() << "the indices can be " << range->low << " to " << range->high
                     << ", all outside the extent of " << extent.text();
  if (range && (isInput || (range->low >= -extent.low() && range->high < extent.low())))
    return range->low < 0;
  if (!llvm::isIntN(elementOf(indices).getIntOrFloatBitWidth(), extent.high()) ||
      !llvm::isIntN(elementOf(indices).getIntOrFloatBitWidth(), numberOf(extent)))
    indices = n.b.castTo(indices, n.b.getI64Type());
  indices = heddle::CheckedIndexOp::create(n.b, indices, numberOf(extent));
  return false;
}

/// A table of equal elements needs no lookup, unless its indices are checked. Null for any other.
Value repeated(NodeContext &n, Value table, Value indices, ArrayRef<Dim> shape) {
  DenseElementsAttr elements = Emitter::constantOf(table);
  if (!elements || !elements.isSplat() || indices.getDefiningOp<heddle::CheckedIndexOp>())
    return {};
  return n.b.constant(elements.resizeSplat(typeOf(shape, elementOf(table))));
}

/// What is looked up lies in the range of the table's elements.
Value keepRange(NodeContext &n, Value table, Value result) {
  if (std::optional<Interval> range = n.ranges.of(table))
    n.ranges.set(result, *range);
  return result;
}

/// Each element of the result by its own lookup.
FailureOr<Value> lookUp(NodeContext &n, Value data, Value indices, int64_t axis) {
  Shape from = shapeOf(data);
  int64_t indexRank = rankOf(indices);
  Dim extent = from[axis];
  if (extent.high() > INT32_MAX)
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
  Value init = tensor::EmptyOp::create(b, numbersOf(shape), elementOf(data));
  Value counted = *negative ? countedExtent(n, extent) : Value();
  auto body = [&](OpBuilder &builder, Location loc, ValueRange args) {
    ImplicitLocOpBuilder inner(loc, builder);
    SmallVector<Value> at;
    for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim)
      if (dim < axis || dim >= axis + indexRank)
        at.push_back(linalg::IndexOp::create(inner, dim));
    Value index = wrap(inner, args[0], extent, counted, *negative);
    at.insert(at.begin() + axis, arith::IndexCastOp::create(inner, inner.getIndexType(), index));
    linalg::YieldOp::create(inner, Value(tensor::ExtractOp::create(inner, data, at)));
  };
  Value result = linalg::GenericOp::create(b, init.getType(), indices, init, maps, iterators, body).getResult(0);
  return keepRange(n, data, result);
}

/// Whether a place is a sum of sizes, so that it is worth a slice: others are looked up.
bool isLinear(const Dim &place) {
  SmallVector<heddle::Monomial> terms = monomialsOf(place.asExpression());
  return llvm::all_of(terms, [](const heddle::Monomial &term) {
    return term.atoms.empty() || (term.atoms.size() == 1 && term.atoms[0].asSize());
  });
}

/// Elements of a tensor that is known but for sizes, at indices that are such. None where one is known as it is, or not at
/// all; null where that is an error.
std::optional<Value> gatherSized(NodeContext &n, Value data, Value indices, int64_t axis, ArrayRef<Dim> shape) {
  std::optional<heddle::SizedTensor> places = heddle::SizedTensor::of(indices);
  Shape from = shapeOf(data);
  if (!places || (Emitter::integersOf(indices) && from[axis].isFixed() && !data.getDefiningOp<heddle::SizesOp>()))
    return std::nullopt;
  // Negative ones count from the end.
  for (heddle::SizeExpression &index : places->elements) {
    if (isWithin(index, places->shape, 0, from[axis]))
      continue;
    if (!isWithin(index, places->shape, -from[axis], from[axis]))
      return std::nullopt; // the call checks it
    heddle::SizeExpression extent = from[axis].asExpression();
    index = heddle::SizeExpression::select(heddle::SizeExpression::less(index, 0), index + extent, index);
    index = heddle::SizeScope::current()->domain().simplify(index, places->placeBounds());
  }
  std::optional<heddle::SizedTensor> table = heddle::SizedTensor::of(data);
  std::optional<heddle::SizeExpression> formula = places->formula();
  if (table && (formula || (!table->isFormula && table->shape.size() == 1))) {
    heddle::SizedTensor result = table->gathered(*places, axis, shape);
    return result.emit(n.b);
  }
  std::optional<Walk> walk = findWalk(*places);
  if (!walk || (!isLinear(walk->start) && from[axis].low() > 0)) {
    FailureOr<Value> found = lookUp(n, data, indices, axis);
    return succeeded(found) ? *found : Value();
  }
  Value slice = n.b.slice(data, axis, walk->start, walk->count, walk->step);
  return n.b.broadcast(n.b.reshape(slice, gatheredShape(from, walk->spread, axis)), shape);
}

} // namespace

FailureOr<Value> heddle::onnx::gather(NodeContext &n, Value data, Value indices, int64_t axis) {
  Shape from = shapeOf(data);
  Shape shape = gatheredShape(from, shapeOf(indices), axis);
  if (failed(n.checkShape(shape)) || failed(n.requireInteger(indices)))
    return failure();
  if (std::optional<Value> sized = gatherSized(n, data, indices, axis, shape))
    return *sized ? FailureOr<Value>(*sized) : FailureOr<Value>(failure());
  std::optional<Shape> given = Emitter::dimsOf(indices);
  if (!given)
    return lookUp(n, data, indices, axis);
  if (failed(normalize(n, *given, from[axis])))
    return failure();
  Numbers known = *fixedNumbers(*given), indexShape = *fixedNumbers(shapeOf(indices));
  DenseElementsAttr elements = Emitter::constantOf(data);
  if (elements && canFold(shape) && fixedNumbers(from))
    return foldGather(n.b, elements, known, axis, typeOf(shape, elementOf(data)));
  if (std::optional<Walk> walk = findWalk(known, indexShape)) {
    Value slice = n.b.slice(data, axis, walk->start, walk->count, walk->step);
    return n.b.broadcast(n.b.reshape(slice, gatheredShape(from, walk->spread, axis)), shape);
  }
  return lookUp(n, data, n.b.integers(shapeOf(indices), ArrayRef<int64_t>(known)), axis);
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
  std::optional<Numbers> known; // none of them negative
  bool negative = false;        // whether others may be
};

/// Column `j` of index tuples.
FailureOr<Column> column(NodeContext &n, Value tuples, int64_t j, const Dim &extent) {
  Shape shape = shapeOf(tuples);
  int64_t last = shape.size() - 1;
  Column column;
  // Columns that were put together know their bounds one by one.
  if (auto concat = tuples.getDefiningOp<tensor::ConcatOp>();
      concat && int64_t(concat.getDim()) == last && shape.back().number() == int64_t(concat.getInputs().size()))
    column.indices = concat.getInputs()[j];
  else
    column.indices = n.b.slice(tuples, last, j, 1);
  shape.pop_back();
  column.indices = n.b.reshape(column.indices, shape);
  if (std::optional<Numbers> known = Emitter::integersOf(column.indices); known && extent.isFixed()) {
    Shape indices(known->begin(), known->end());
    if (failed(normalize(n, indices, extent)))
      return failure();
    column.known = fixedNumbers(indices);
    return column;
  }
  if (extent.high() > INT32_MAX)
    column.indices = n.b.castTo(column.indices, n.b.getI64Type());
  FailureOr<bool> negative = boundIndices(n, column.indices, extent);
  if (failed(negative))
    return failure();
  column.negative = *negative;
  return column;
}

/// The dimension along which each number is its own place, if there is one: what is arange in a model.
std::optional<int64_t> findPlaces(const Column &column) {
  if (std::optional<heddle::SizedTensor> sized = heddle::SizedTensor::of(column.indices))
    if (std::optional<heddle::SizeExpression> formula = sized->isFormula ? sized->formula() : std::nullopt) {
      SmallVector<unsigned> places = formula->places();
      bool isPlace = places.size() == 1 && *formula == heddle::SizeExpression::place(places[0]);
      return isPlace ? std::optional<int64_t>(places[0]) : std::nullopt;
    }
  if (!column.known)
    return std::nullopt;
  Numbers shape = *fixedNumbers(shapeOf(column.indices));
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    const int64_t *next = column.known->begin();
    bool fits = true;
    forEachIndex(shape, [&](ArrayRef<int64_t> at) { fits &= *next++ == at[dim]; });
    if (fits)
      return dim;
  }
  return std::nullopt;
}

/// The dimensions that a tuple indexes become one, and the tuple one index.
FailureOr<Value> gatherKnown(NodeContext &n, Value data, ArrayRef<Column> columns, ArrayRef<Dim> shape) {
  Shape from = shapeOf(data);
  Numbers indices(columns.front().known->size(), 0);
  int64_t leading = 1;
  for (auto [column, extent] : llvm::zip(columns, from)) {
    for (auto [index, next] : llvm::zip_equal(indices, *column.known))
      index = index * *extent.number() + next;
    leading *= *extent.number();
  }
  Shape collapsed{leading};
  llvm::append_range(collapsed, ArrayRef(from).drop_front(columns.size()));
  return gather(n, n.b.reshape(data, collapsed), n.b.integers(shape, ArrayRef<int64_t>(indices)), 0);
}

/// Each element of the result by a lookup of its own, in all dimensions that a tuple indexes.
FailureOr<Value> lookUpTuples(NodeContext &n, Value data, ArrayRef<Column> columns, ArrayRef<Dim> shape) {
  Shape from = shapeOf(data), result(shape);
  llvm::append_range(result, ArrayRef(from).drop_front(columns.size()));
  if (failed(n.checkShape(result)))
    return failure();
  SmallVector<AffineExpr> places;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    places.push_back(n.b.getAffineDimExpr(dim));
  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs;
  SmallVector<std::optional<int64_t>> ownDims;
  for (const Column &column : columns) {
    ownDims.push_back(findPlaces(column));
    if (ownDims.back())
      continue;
    inputs.push_back(column.known ? n.b.integers(shape, ArrayRef<int64_t>(*column.known)) : column.indices);
    maps.push_back(AffineMap::get(result.size(), 0, places, n.b.getContext()));
  }
  maps.push_back(n.b.getMultiDimIdentityMap(result.size()));
  SmallVector<utils::IteratorType> iterators(result.size(), utils::IteratorType::parallel);
  Value init = tensor::EmptyOp::create(n.b, numbersOf(result), elementOf(data));
  SmallVector<Value> counted; // extents that each call computes
  for (auto [column, extent] : llvm::zip(columns, from))
    counted.push_back(column.negative ? countedExtent(n, extent) : Value());
  auto body = [&](OpBuilder &builder, Location loc, ValueRange args) {
    ImplicitLocOpBuilder b(loc, builder);
    SmallVector<Value> at;
    for (auto [column, ownDim, extent, count] : llvm::zip(columns, ownDims, from, counted)) {
      if (ownDim) {
        at.push_back(linalg::IndexOp::create(b, *ownDim));
        continue;
      }
      Value index = wrap(b, args.front(), extent, count, column.negative);
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
  Shape from = shapeOf(data), shape = shapeOf(tuples);
  Dim length = shape.pop_back_val();
  if (!length.isFixed() || length < 1 || length > static_cast<int64_t>(from.size()))
    return n.error() << "tuples of " << length.text() << " indices into " << typeText(data);
  SmallVector<Column> columns;
  for (int64_t j = 0; j < *length.number(); ++j) {
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
  Shape from = shapeOf(data), shape = shapeOf(indices);
  bool fits = from.size() == shape.size();
  for (size_t dim = 0; fits && dim < from.size(); ++dim)
    fits = static_cast<int64_t>(dim) == *axis || shape[dim] <= from[dim];
  if (!fits)
    return n.error() << "indices " << typeText(indices) << " do not fit " << typeText(data);
  if (from[*axis].high() > INT32_MAX)
    indices = n.b.castTo(indices, n.b.getI64Type());
  FailureOr<bool> negative = boundIndices(n, indices, from[*axis]);
  if (failed(negative))
    return failure();
  if (Value same = repeated(n, data, indices, shape))
    return n.yield(same);
  Value counted = *negative ? countedExtent(n, from[*axis]) : Value();
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
    SmallVector<Value> at;
    for (size_t dim = 0; dim < from.size(); ++dim)
      at.push_back(linalg::IndexOp::create(b, dim));
    Value index = wrap(b, args[0], from[*axis], counted, *negative);
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
