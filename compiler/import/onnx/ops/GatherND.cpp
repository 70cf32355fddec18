//===- GatherND.cpp - lookups by tuples of indices ------------------------===//

#include "Gather.h"
#include "LookupIndices.h"
#include "OpTable.h"

#include "Heddle.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

/// One component of all index tuples.
struct Column {
  Value indices;
  std::optional<Numbers> known; // the indices if they are known, none of them negative
  bool negative = false;        // whether unknown indices may be negative
};

/// Component `j` of the index tuples.
FailureOr<Column> column(NodeContext &n, Value tuples, int64_t j, const Dim &extent) {
  Shape shape = shapeOf(tuples);
  int64_t last = shape.size() - 1;
  Column column;
  // Components that were concatenated keep their own bounds.
  if (auto concat = tuples.getDefiningOp<tensor::ConcatOp>();
      concat && int64_t(concat.getDim()) == last && shape.back().number() == int64_t(concat.getInputs().size()))
    column.indices = concat.getInputs()[j];
  else
    column.indices = n.b.slice(tuples, last, j, 1);
  shape.pop_back();
  column.indices = n.b.reshape(column.indices, shape);
  if (std::optional<Numbers> known = Emitter::integersOf(column.indices); known && extent.isFixed()) {
    Shape indices(known->begin(), known->end());
    if (failed(normalizeIndices(n, indices, extent)))
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

/// The dimension along which the component is its own position (arange in a model), if there is one.
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

/// Collapses the dimensions that a tuple indexes into one, and each tuple into one index.
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

/// Looks up each element of the result by its whole tuple.
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
  SmallVector<Value> counted; // extents that depend on sizes; each call computes them
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
      Value index = wrapIndex(b, args.front(), extent, count, column.negative);
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

} // namespace

void heddle::onnx::addGatherNDOps(OpTable &table) { table["GatherND"] = {convertGatherND, 2, 2, 11}; }
