//===- ScatterPlaces.cpp - updates at run-time positions ------------------===//

#include "ScatterPlaces.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace heddle::onnx;

namespace {
/// Emits the gather that computes the result of a scatter: for each element of the result, the emitted code searches
/// for the last update at the element's position.
class Scatter {
public:
  Scatter(NodeContext &n, Value data, ArrayRef<ScatterPlace> places, ArrayRef<Dim> tuples, Value updates)
      : n(n), b(n.b), data(data), shape(shapeOf(data)), places(places), tuples(tuples), updates(updates),
        ownedBy(tuples.size(), -1) {}
  FailureOr<Value> run();

private:
  // Sets `ownedBy`, `kept` and `searched`.
  void findDims();
  // Emits an error if the search needs too many comparisons, or if the updates may be empty.
  LogicalResult check();
  Value findSources();
  Value write(Value sources);

  NodeContext &n;
  Emitter &b;
  Value data;
  Shape shape; // of `data`
  ArrayRef<ScatterPlace> places;
  ArrayRef<Dim> tuples;
  Value updates;
  SmallVector<int64_t> ownedBy;  // for each dimension of the tuples, the dimension of the data that it indexes, or -1
  SmallVector<int64_t> kept;     // dimensions of the data on which the result of the search for an update depends
  SmallVector<int64_t> searched; // dimensions of the tuples that are searched for the update
};
} // namespace

void Scatter::findDims() {
  SmallVector<bool> isRead(tuples.size(), false);
  for (auto [dim, place] : llvm::enumerate(places)) {
    if (place.own)
      ownedBy[*place.own] = int64_t(dim);
    for (int64_t tupleDim : place.dims)
      isRead[tupleDim] = true;
  }
  for (auto [dim, place] : llvm::enumerate(places))
    if (!place.own || isRead[*place.own])
      kept.push_back(int64_t(dim));
  for (auto [dim, owner] : llvm::enumerate(ownedBy))
    if (owner < 0)
      searched.push_back(int64_t(dim));
}

LogicalResult Scatter::check() {
  constexpr int64_t maxCompared = int64_t(1) << 34; // this number of comparisons takes a few seconds
  Dim compared = 1;
  for (int64_t dim : kept)
    compared *= shape[dim];
  for (int64_t dim : searched)
    compared *= tuples[dim];
  if (compared.high() > maxCompared)
    return n.error() << "updates at run-time positions need " << compared.text() << " comparisons, at most "
                     << maxCompared << " are supported";
  for (const Dim &extent : shapeOf(updates))
    if (extent.low() <= 0)
      return n.error() << "updates " << typeText(updates) << ", which may be empty, are not supported";
  return success();
}

/// Returns a tensor with an element for each position in the `kept` dimensions: the row-major number of the position's
/// update in the `searched` dimensions, or -1 if the position has no update. If several updates have this position, the
/// element is the number of the last update.
Value Scatter::findSources() {
  Shape pairs;                                    // the extents of the loops over positions and updates
  SmallVector<int64_t> loopOf(tuples.size(), -1); // the loop over each dimension of the tuples
  for (auto [loop, dim] : llvm::enumerate(kept)) {
    pairs.push_back(shape[dim]);
    if (places[dim].own)
      loopOf[*places[dim].own] = int64_t(loop);
  }
  for (int64_t dim : searched) {
    loopOf[dim] = int64_t(pairs.size());
    pairs.push_back(tuples[dim]);
  }
  unsigned rank = unsigned(pairs.size());
  SmallVector<Value> inputs, extents;
  SmallVector<AffineMap> maps;
  SmallVector<int64_t> loops; // for each input, the loop over its dimension of the data
  for (auto [loop, dim] : llvm::enumerate(kept)) {
    if (places[dim].own)
      continue;
    SmallVector<AffineExpr> reads;
    for (int64_t tupleDim : places[dim].dims)
      reads.push_back(b.getAffineDimExpr(unsigned(loopOf[tupleDim])));
    maps.push_back(AffineMap::get(rank, 0, reads, b.getContext()));
    inputs.push_back(places[dim].indices);
    loops.push_back(int64_t(loop));
  }
  maps.push_back(b.getMultiDimIdentityMap(rank));
  for (int64_t dim : searched)
    extents.push_back(b.index(tuples[dim]));
  Type i64 = b.getI64Type();
  auto body = [&](OpBuilder &builder, Location loc, ValueRange args) {
    ImplicitLocOpBuilder inner(loc, builder);
    Value number = arith::ConstantIndexOp::create(inner, 0);
    for (auto [dim, extent] : llvm::zip_equal(searched, extents))
      number = arith::AddIOp::create(inner, arith::MulIOp::create(inner, number, extent),
                                     linalg::IndexOp::create(inner, uint64_t(loopOf[dim])));
    Value source = arith::IndexCastOp::create(inner, i64, number);
    Value none = arith::ConstantOp::create(inner, inner.getIntegerAttr(i64, -1));
    for (auto [loop, index] : llvm::zip(loops, args)) {
      Value place = arith::IndexCastOp::create(inner, index.getType(), linalg::IndexOp::create(inner, uint64_t(loop)));
      Value isThis = arith::CmpIOp::create(inner, arith::CmpIPredicate::eq, place, index);
      source = arith::SelectOp::create(inner, isThis, source, none);
    }
    linalg::YieldOp::create(inner, source);
  };
  Value init = tensor::EmptyOp::create(b, numbersOf(pairs), i64);
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  Value sources = linalg::GenericOp::create(b, init.getType(), inputs, init, maps, iterators, body).getResult(0);
  return b.reduce(Emitter::Reduction::Max, sources, llvm::to_vector(llvm::seq<int64_t>(int64_t(kept.size()), rank)),
                  /*keep=*/false);
}

/// Returns the result. Each element is the update whose number `sources` contains or, if this number is -1, the old
/// element.
Value Scatter::write(Value sources) {
  unsigned rank = unsigned(shape.size());
  SmallVector<AffineExpr> reads;
  for (int64_t dim : kept)
    reads.push_back(b.getAffineDimExpr(unsigned(dim)));
  SmallVector<AffineMap> maps{AffineMap::get(rank, 0, reads, b.getContext()), b.getMultiDimIdentityMap(rank),
                              b.getMultiDimIdentityMap(rank)};
  SmallVector<Value> extents;
  for (int64_t dim : searched)
    extents.push_back(b.index(tuples[dim]));
  auto body = [&](OpBuilder &builder, Location loc, ValueRange args) {
    ImplicitLocOpBuilder inner(loc, builder);
    Value zero = arith::ConstantOp::create(inner, inner.getIntegerAttr(inner.getI64Type(), 0));
    Value isNew = arith::CmpIOp::create(inner, arith::CmpIPredicate::sge, args[0], zero);
    Value number =
        arith::IndexCastOp::create(inner, inner.getIndexType(), arith::MaxSIOp::create(inner, args[0], zero));
    SmallVector<Value> at(tuples.size());
    for (size_t i = searched.size(); i-- > 0;) {
      at[searched[i]] = i == 0 ? number : Value(arith::RemSIOp::create(inner, number, extents[i]));
      if (i > 0)
        number = arith::DivSIOp::create(inner, number, extents[i]);
    }
    for (auto [dim, owner] : llvm::enumerate(ownedBy))
      if (owner >= 0)
        at[dim] = linalg::IndexOp::create(inner, uint64_t(owner));
    for (size_t dim = places.size(); dim < rank; ++dim)
      at.push_back(linalg::IndexOp::create(inner, dim));
    Value update = tensor::ExtractOp::create(inner, updates, at);
    linalg::YieldOp::create(inner, Value(arith::SelectOp::create(inner, isNew, update, args[1])));
  };
  Value init = tensor::EmptyOp::create(b, numbersOf(shape), elementOf(data));
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(b, init.getType(), ValueRange{sources, data}, init, maps, iterators, body)
      .getResult(0);
}

FailureOr<Value> Scatter::run() {
  findDims();
  if (failed(check()))
    return failure();
  Value result = write(findSources());
  std::optional<Interval> old = n.ranges.of(data), other = n.ranges.of(updates);
  if (old && other)
    n.ranges.set(result, {std::min(old->low, other->low), std::max(old->high, other->high)});
  return result;
}

FailureOr<Value> heddle::onnx::scatter(NodeContext &n, Value data, ArrayRef<ScatterPlace> places, ArrayRef<Dim> tuples,
                                       Value updates) {
  return Scatter(n, data, places, tuples, updates).run();
}
