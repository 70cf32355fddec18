//===- Scatter.cpp - ScatterND, ScatterElements, TensorScatter ------------===//

#include "../KeepStates.h"
#include "IndexTuples.h"
#include "LookupIndices.h"
#include "OpTable.h"
#include "ScatterPlaces.h"
#include "SizedOperands.h"

#include "sizes/SizeScope.h"
#include "sizes/SizedTensor.h"

#include "Heddle.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::onnx;

namespace {

/// Whether the index tuples are the positions of all elements of a tensor of this shape, in row-major order. A scatter
/// at these positions replaces all elements.
bool areOwnPlaces(Value indices, ArrayRef<Dim> shape) {
  unsigned rank = unsigned(shape.size());
  Shape wanted(shape);
  wanted.push_back(rank);
  Shape given = shapeOf(indices);
  // This function compares placeholders, because the model would be refused if the result of a comparison of dimensions
  // differed between sizes (Dim.h).
  auto isSame = [](const Dim &a, const Dim &b) { return numberOf(a) == numberOf(b); };
  if (rank == 0 || given.size() != wanted.size() || !llvm::equal(given, wanted, isSame))
    return false;
  if (std::optional<SizedTensor> sized = SizedTensor::of(indices); sized && sized->isFormula) {
    SmallVector<SizeBounds> places = sized->placeBounds();
    for (unsigned dim = 0; dim < rank; ++dim) {
      SmallVector<SizeExpression> at;
      for (unsigned i = 0; i < rank; ++i)
        at.push_back(SizeExpression::place(i));
      SizeExpression difference = -SizeExpression::place(dim);
      at.push_back(dim);
      difference = difference + sized->elements.front().withPlaces(at);
      auto bounds = SizeScope::current()->domain().boundsOf(difference, places, /*isExact=*/true);
      if (!bounds || bounds->low != 0 || bounds->high != 0)
        return false;
    }
    return true;
  }
  std::optional<Numbers> numbers = Emitter::integersOf(indices), fixed = fixedNumbers(shape);
  if (!numbers || !fixed)
    return false;
  Numbers strides = stridesOf(*fixed);
  for (auto [i, number] : llvm::enumerate(*numbers))
    if (number != int64_t(i) / rank / strides[i % rank] % (*fixed)[i % rank])
      return false;
  return true;
}

/// Computes the result of a ScatterND whose operands are constants. Exporters build masks with such nodes.
LogicalResult foldScatterND(NodeContext &n, DenseElementsAttr data, ArrayRef<int64_t> tuples,
                            DenseElementsAttr updates) {
  ArrayRef<int64_t> shape = data.getType().getShape();
  int64_t length = *shapeOf(n.in(1)).back().number();
  std::vector<char> to = bytesOf(data), from = bytesOf(updates);
  Numbers strides = stridesOf(shape);
  size_t elementSize = *heddle::storedElementSize(elementOf(n.in(0)));
  size_t width = strides[length - 1] * elementSize;
  for (size_t tuple = 0; tuple * length < tuples.size(); ++tuple) {
    int64_t at = 0;
    for (int64_t j = 0; j < length; ++j) {
      int64_t index = tuples[tuple * length + j];
      if (index < -shape[j] || index >= shape[j])
        return n.error() << "index " << index << " is out of range for an extent of " << shape[j];
      at += (index < 0 ? index + shape[j] : index) * strides[j];
    }
    std::copy_n(from.begin() + tuple * width, width, to.begin() + at * elementSize);
  }
  return n.yield(n.b.constant(fromBytes(cast<RankedTensorType>(n.in(0).getType()), to)));
}

/// Adds the extent to the negative elements of `indices`.
Value wrapNegative(Emitter &b, Value indices, const Dim &extent) {
  Value isNegative = b.elementwise<arith::CmpIOp>(arith::CmpIPredicate::slt, indices, b.splatLike(indices, 0));
  return b.select(isNegative, b.add(indices, b.splatDim(indices, extent)), indices);
}

/// Returns the positions to which `indices` refer in a dimension with the extent `extent`. Negative indices count from
/// the end. If `indices` is a broadcast, the positions have only the dimensions of the operand of the broadcast.
ScatterPlace placeAt(NodeContext &n, Value indices, bool mayBeNegative, const Dim &extent) {
  ScatterPlace place;
  place.dims = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(indices)));
  if (auto broadcast = indices.getDefiningOp<linalg::BroadcastOp>()) {
    llvm::erase_if(place.dims, [&](int64_t dim) { return llvm::is_contained(broadcast.getDimensions(), dim); });
    indices = broadcast.getInput();
  }
  place.indices = mayBeNegative ? wrapNegative(n.b, indices, extent) : indices;
  return place;
}

/// Returns the positions to which index tuples refer, with one entry for each column. A column may contain 0, 1, 2, ..
/// along a dimension of the tuples. If this dimension is as long as the data's dimension and no earlier entry refers to
/// it, the column's entry refers to it instead of containing indices.
SmallVector<ScatterPlace> placesOf(NodeContext &n, ArrayRef<Column> columns, ArrayRef<Dim> tuples, ArrayRef<Dim> data) {
  SmallVector<ScatterPlace> places;
  SmallVector<int64_t> taken;
  for (auto [column, extent] : llvm::zip(columns, data)) {
    std::optional<int64_t> own = findOwnPlaces(column);
    if (own && !llvm::is_contained(taken, *own) && numberOf(tuples[*own]) == numberOf(extent)) {
      taken.push_back(*own);
      places.push_back({own});
    } else {
      Value indices =
          column.known ? n.b.integers(shapeOf(column.indices), ArrayRef<int64_t>(*column.known)) : column.indices;
      places.push_back(placeAt(n, indices, column.negative, extent));
    }
  }
  return places;
}

LogicalResult convertScatterND(NodeContext &n) {
  Value data = n.in(0), tuples = n.in(1), updates = n.in(2);
  if (n.stringAttr("reduction", "none") != "none")
    return n.error() << "a reduction other than none is not supported";
  if (failed(n.requireSameElements({data, updates})))
    return failure();
  if (data.getType() == updates.getType() && areOwnPlaces(tuples, shapeOf(data)))
    return n.yield(updates);
  FailureOr<SmallVector<Column>> columns = readTuples(n, data, tuples);
  if (failed(columns))
    return failure();
  Shape leading = shapeOf(tuples), from = shapeOf(data), expected;
  leading.pop_back();
  expected = leading;
  llvm::append_range(expected, ArrayRef(from).drop_front(columns->size()));
  if (shapeOf(updates) != expected)
    return n.error() << "expected updates of shape " << shapeText(expected) << ", found " << typeText(updates);
  DenseElementsAttr known = n.b.storedElements(data), knownUpdates = n.b.storedElements(updates);
  if (std::optional<Numbers> numbers = Emitter::integersOf(tuples);
      numbers && known && knownUpdates && fixedNumbers(shapeOf(data)) && fixedNumbers(shapeOf(tuples)))
    return foldScatterND(n, known, *numbers, knownUpdates);
  if (isEmpty(expected))
    return n.yield(data);
  FailureOr<Value> result = scatter(n, data, placesOf(n, *columns, leading, from), leading, updates);
  return failed(result) ? failure() : n.yield(*result);
}

/// Returns `data` with updates at `indices` along `axis`. In all dimensions except `axis`, the extent of the indices
/// must be at most the extent of the data.
FailureOr<Value> scatterAlong(NodeContext &n, Value data, Value indices, Value updates, int64_t axis,
                              bool mayBeNegative) {
  Shape shape = shapeOf(data), given = shapeOf(indices);
  SmallVector<ScatterPlace> places;
  for (int64_t dim = 0; dim < rankOf(data); ++dim) {
    if (dim == axis) {
      places.push_back(placeAt(n, indices, mayBeNegative, shape[axis]));
      continue;
    }
    if (given[dim] != shape[dim]) { // the slice after the extent of the indices does not change
      FailureOr<Value> first =
          scatterAlong(n, n.b.slice(data, dim, 0, given[dim]), indices, updates, axis, mayBeNegative);
      if (failed(first))
        return failure();
      return n.b.concat({*first, n.b.slice(data, dim, given[dim], shape[dim] - given[dim])}, dim);
    }
    places.push_back({dim});
  }
  return scatter(n, data, places, given, updates);
}

/// Converts ScatterElements. For axis 1, result[i, indices[i, j, ..], ..] = updates[i, j, ..].
LogicalResult convertScatterElements(NodeContext &n) {
  Value data = n.in(0), indices = n.in(1), updates = n.in(2);
  if (n.stringAttr("reduction", "none") != "none")
    return n.error() << "a reduction other than none is not supported";
  FailureOr<int64_t> axis = n.axis(n.intAttr("axis", 0), rankOf(data));
  if (failed(axis) || failed(n.requireSameElements({data, updates})))
    return failure();
  Shape shape = shapeOf(data), given = shapeOf(indices);
  bool fits = shape.size() == given.size() && given == shapeOf(updates);
  for (size_t dim = 0; fits && dim < shape.size(); ++dim)
    fits = int64_t(dim) == *axis || given[dim] <= shape[dim];
  if (!fits)
    return n.error() << "indices " << typeText(indices) << " and updates " << typeText(updates) << " do not fit "
                     << typeText(data);
  if (isEmpty(given))
    return n.yield(data);
  FailureOr<bool> negative = boundIndices(n, indices, shape[*axis]);
  if (failed(negative))
    return failure();
  FailureOr<Value> result = scatterAlong(n, data, indices, updates, *axis, *negative);
  return failed(result) ? failure() : n.yield(*result);
}

/// Returns `first`, the position of the first new row of each sequence. A call of the model fails if such a position is
/// negative or greater than `room`.
FailureOr<Value> boundFirst(NodeContext &n, Value first, const Dim &room) {
  std::optional<Interval> range = n.ranges.narrow(first, 0, room);
  if (!range)
    range = n.ranges.of(first);
  if (range && range->low >= 0 && (range->high <= room.low() || IndexRanges::inputBehind(first, range)))
    return first;
  // Negative positions are errors, but heddle.checked_index accepts negative indices, which count from the end.
  // Therefore the emitted code replaces negative positions by a position that is out of range.
  Value isNegative = n.b.elementwise<arith::CmpIOp>(arith::CmpIPredicate::slt, first, n.b.splatLike(first, 0));
  first = n.b.select(isNegative, n.b.splatDim(first, room + 1), first);
  return heddle::CheckedIndexOp::create(n.b, first, numberOf(room + 1)).getResult();
}

/// Returns the positions of the new rows of each sequence, [batch, rows]. The positions are consecutive and begin at
/// `first`. If `circular`, position 0 follows the last position, `extent` - 1.
FailureOr<Value> placesBehind(NodeContext &n, Value first, const Dim &rows, const Dim &extent, bool circular) {
  Emitter &b = n.b;
  Dim batch = shapeOf(first)[0];
  auto modulo = [&](Value places) {
    return wrapNegative(b, b.elementwise<arith::RemSIOp>(places, b.splatDim(places, extent)), extent);
  };
  if (circular) {
    first = modulo(first);
  } else {
    FailureOr<Value> bounded = boundFirst(n, first, extent - rows);
    if (failed(bounded))
      return failure();
    first = *bounded;
  }
  Value places = b.add(b.reshape(first, {batch, 1}), positions(b, {1, rows}, 1));
  return circular ? modulo(places) : places;
}

/// Converts TensorScatter, which writes new rows of each sequence into a cache, at consecutive positions.
LogicalResult convertTensorScatter(NodeContext &n) {
  Value cache = n.in(0), updates = n.in(1), first = n.in(2);
  std::string mode = n.stringAttr("mode", "linear");
  if (mode != "linear" && mode != "circular")
    return n.error() << "mode is '" << mode << "', expected linear or circular";
  FailureOr<int64_t> axis = n.axis(n.intAttr("axis", -2), rankOf(cache));
  if (failed(axis) || failed(n.requireSameElements({cache, updates})))
    return failure();
  if (*axis == 0)
    return n.error() << "axis 0 is the batch, expected another axis";
  Shape shape = shapeOf(cache), expected(shape);
  Dim rows = rankOf(updates) == rankOf(cache) ? shapeOf(updates)[*axis] : Dim(-1);
  expected[*axis] = rows;
  if (shapeOf(updates) != ArrayRef(expected) || rows > shape[*axis])
    return n.error() << "updates " << typeText(updates) << " do not fit " << typeText(cache) << " along axis " << *axis;
  if (first && (!elementOf(first).isInteger(64) || shapeOf(first) != Shape{shape[0]}))
    return n.error() << "expected write_indices of shape [" << shape[0].text() << "] of i64, found " << typeText(first);
  if (n.intAttr(keepsState, 0) != 0)
    return n.yield(heddle::AppendOp::create(n.b, updates, cache, first).getResult());
  if (isEmpty(expected))
    return n.yield(cache);
  if (!first) {
    Dim others = shape[*axis] - rows;
    return n.yield(others.number() == 0 ? updates
                                        : n.b.concat({updates, n.b.slice(cache, *axis, rows, others)}, *axis));
  }
  FailureOr<Value> indices = placesBehind(n, first, rows, shape[*axis], mode == "circular");
  if (failed(indices))
    return failure();
  SmallVector<ScatterPlace> places;
  for (int64_t dim = 0; dim < *axis; ++dim)
    places.push_back({dim});
  places.push_back({std::nullopt, *indices, {0, *axis}});
  FailureOr<Value> result = scatter(n, cache, places, ArrayRef(expected).take_front(*axis + 1), updates);
  return failed(result) ? failure() : n.yield(*result);
}

} // namespace

void heddle::onnx::addScatterOps(OpTable &table) {
  table["ScatterND"] = {convertScatterND, 3, 3, 11};
  table["ScatterElements"] = {convertScatterElements, 3, 3, 11};
  table["TensorScatter"] = {convertTensorScatter, 2, 3, 24};
}
