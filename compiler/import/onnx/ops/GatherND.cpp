//===- GatherND.cpp - lookups by tuples of indices ------------------------===//

#include "Gather.h"
#include "IndexTuples.h"
#include "LookupIndices.h"
#include "OpTable.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

/// Gathers at index tuples that are known at import. Collapses the dimensions that a tuple indexes into one dimension,
/// and each tuple into one index. `shape` is the shape of the tuples without their last dimension.
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

/// Emits a lookup of each element of the result that uses the whole tuple as its index. `shape` is the shape of the
/// tuples without their last dimension.
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
  // For each column, the dimension of the result along which the column contains 0, 1, 2, .. (findOwnPlaces), or
  // nothing. A column that has such a dimension is not read.
  SmallVector<std::optional<int64_t>> ownDims;
  for (const Column &column : columns) {
    ownDims.push_back(findOwnPlaces(column));
    if (ownDims.back())
      continue;
    inputs.push_back(column.known ? n.b.integers(shape, ArrayRef<int64_t>(*column.known)) : column.indices);
    maps.push_back(AffineMap::get(result.size(), 0, places, n.b.getContext()));
  }
  maps.push_back(n.b.getMultiDimIdentityMap(result.size()));
  SmallVector<utils::IteratorType> iterators(result.size(), utils::IteratorType::parallel);
  Value init = tensor::EmptyOp::create(n.b, numbersOf(result), elementOf(data));
  SmallVector<Value> counted; // extents that depend on sizes, as values that the compiled code computes
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
  FailureOr<SmallVector<Column>> columns = readTuples(n, data, tuples);
  if (failed(columns))
    return failure();
  Shape shape = shapeOf(tuples);
  shape.pop_back();
  bool isKnown = llvm::all_of(*columns, [](const Column &column) { return column.known.has_value(); });
  FailureOr<Value> result = (isKnown ? gatherKnown : lookUpTuples)(n, data, *columns, shape);
  return failed(result) ? failure() : n.yield(*result);
}

} // namespace

void heddle::onnx::addGatherNDOps(OpTable &table) { table["GatherND"] = {convertGatherND, 2, 2, 11}; }
