//===- Gather.cpp - lookups along a dimension -----------------------------===//
//
// If the indices are known at import, a Gather from expressions of sizes, or of a few elements of a constant, is
// computed at import. Any other Gather becomes a slice and a broadcast if its indices are known and form a regular
// pattern (IndexWalk.h). All remaining Gathers, and GatherElements, become a lookup of each element.
//
//===----------------------------------------------------------------------===//

#include "Gather.h"
#include "IndexWalk.h"
#include "LookupIndices.h"
#include "OpTable.h"

#include "sizes/IsWithin.h"
#include "sizes/Monomials.h"
#include "sizes/SizeScope.h"

#include "Heddle.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {

/// Gathers elements of a constant at indices that are known and not negative.
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

/// Returns the shape of `data` with the dimension `axis` replaced by the dimensions of `indices`.
Shape gatheredShape(ArrayRef<Dim> data, ArrayRef<Dim> indices, int64_t axis) {
  Shape shape(data.take_front(axis));
  llvm::append_range(shape, indices);
  llvm::append_range(shape, data.drop_front(axis + 1));
  return shape;
}

/// If all elements of the table are equal and the compiled code need not check the indices, returns the result as a
/// constant. Otherwise returns null.
Value repeated(NodeContext &n, Value table, Value indices, ArrayRef<Dim> shape) {
  DenseElementsAttr elements = Emitter::constantOf(table);
  if (!elements || !elements.isSplat() || indices.getDefiningOp<heddle::CheckedIndexOp>())
    return {};
  return n.b.constant(elements.resizeSplat(typeOf(shape, elementOf(table))));
}

/// Emits a lookup of each element of the result. Indices that may be out of range are checked.
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
    Value index = wrapIndex(inner, args[0], extent, counted, *negative);
    at.insert(at.begin() + axis, arith::IndexCastOp::create(inner, inner.getIndexType(), index));
    linalg::YieldOp::create(inner, Value(tensor::ExtractOp::create(inner, data, at)));
  };
  Value result = linalg::GenericOp::create(b, init.getType(), indices, init, maps, iterators, body).getResult(0);
  return keepRange(n, data, result);
}

/// Whether a position is a linear expression of sizes. A slice begins only at such positions. At other positions,
/// elements are looked up, unless the dimension may be empty: lookups in such a dimension are not supported.
bool isLinear(const Dim &place) {
  SmallVector<heddle::Monomial> terms = monomialsOf(place.asExpression());
  return llvm::all_of(terms, [](const heddle::Monomial &term) {
    return term.atoms.empty() || (term.atoms.size() == 1 && term.atoms[0].asSize());
  });
}

/// Gathers elements at indices that are expressions of sizes. If the elements of `data` are expressions of sizes as
/// well, the result consists of such expressions, too, where this is possible. Returns nothing if the indices are
/// unknown or must be checked in each call, or if they are plain numbers and neither the extent of `axis` nor the
/// elements of `data` depend on sizes. Returns null after an error. `shape` is the shape of the result.
std::optional<Value> gatherSized(NodeContext &n, Value data, Value indices, int64_t axis, ArrayRef<Dim> shape) {
  std::optional<heddle::SizedTensor> places = heddle::SizedTensor::of(indices);
  Shape from = shapeOf(data);
  if (!places || (Emitter::integersOf(indices) && from[axis].isFixed() && !data.getDefiningOp<heddle::SizesOp>()))
    return std::nullopt;
  // Negative indices count from the end.
  for (heddle::SizeExpression &index : places->elements) {
    if (isWithin(index, places->shape, 0, from[axis]))
      continue;
    if (!isWithin(index, places->shape, -from[axis], from[axis]))
      return std::nullopt; // the index must be checked in each call
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
  std::optional<IndexWalk> walk = findWalk(*places);
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
  if (failed(normalizeIndices(n, *given, from[axis])))
    return failure();
  Numbers known = *fixedNumbers(*given), indexShape = *fixedNumbers(shapeOf(indices));
  DenseElementsAttr elements = Emitter::constantOf(data);
  if (elements && canFold(shape) && fixedNumbers(from))
    return foldGather(n.b, elements, known, axis, typeOf(shape, elementOf(data)));
  if (std::optional<IndexWalk> walk = findWalk(known, indexShape)) {
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

/// Converts GatherElements. For axis 1, the result is result[i, j, ..] = data[i, indices[i, j, ..], ..].
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
    return n.error() << "indices of " << typeText(indices) << " do not fit data of " << typeText(data);
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
    Value index = wrapIndex(b, args[0], from[*axis], counted, *negative);
    at[*axis] = arith::IndexCastOp::create(b, b.getIndexType(), index);
    return tensor::ExtractOp::create(b, data, at);
  };
  return n.yield(keepRange(n, data, n.b.generate(shape, elementOf(data), indices, body)));
}

} // namespace

void heddle::onnx::addGatherOps(OpTable &table) {
  table["Gather"] = {convertGather, 2, 2};
  table["GatherElements"] = {convertGatherElements, 2, 2, 11};
}
