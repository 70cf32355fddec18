//===- KeyParts.cpp - results of parts of the keys ------------------------===//

#include "KeyParts.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// Returns the slice that belongs to part `part` of a task. `columns` contains the number of columns, or is empty if
/// the tensor has none.
KeyParts::Place KeyParts::getPlace(const TaskQueries &queries, Value part, ArrayRef<int64_t> columns) {
  Value group = b.createOrFold<arith::DivUIOp>(queries.head, b.index(heads));
  Place place{{queries.batch, group, part, b.getIndexAttr(0)}, {1, 1, 1, rows}, {3}};
  for (int64_t number : columns) {
    place.keep.push_back(place.offsets.size());
    place.offsets.push_back(b.getIndexAttr(0));
    place.sizes.push_back(number);
  }
  return place;
}

SmallVector<Value> KeyParts::emitEmpty(int64_t batch, int64_t groups, int64_t parts) {
  SmallVector<int64_t> shape = {batch, groups, parts, rows};
  SmallVector<Value> tensors = {b.empty(shape, softmax.getElement()), b.empty(shape, softmax.getPrecision())};
  shape.push_back(valueSize);
  tensors.push_back(b.empty(shape, softmax.getElement()));
  return tensors;
}

void KeyParts::emitStored(scf::ForallOp forall, const TaskQueries &queries, Value part, const SoftmaxState &state) {
  Value tiles[] = {state.maximum, state.sum, state.output};
  Place places[] = {getPlace(queries, part), getPlace(queries, part), getPlace(queries, part, {valueSize})};
  StringRef iterators[] = {"p", "p", "pp"};
  LoopDims loops[] = {{0}, {0}, {0, 1}};
  SmallVector<Value> stored;
  for (auto [i, place] : llvm::enumerate(places)) {
    Value target = b.slice(forall.getRegionIterArgs()[i], place.offsets, place.sizes, place.keep);
    stored.push_back(b.generic(iterators[i], {loops[i], loops[i]}, tiles[i], target, TileBuilder::same)[0]);
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(forall.getTerminator().getBody());
  for (auto [i, place] : llvm::enumerate(places))
    b.insertInParallel(stored[i], forall.getRegionIterArgs()[i], place.offsets, place.sizes);
}

SoftmaxState KeyParts::emitJoined(const TaskQueries &queries, Value count, ValueRange parts) {
  Type element = softmax.getElement(), precision = softmax.getPrecision();
  SmallVector<Value> none = {b.filled({rows}, -INFINITY, element), b.filled({rows}, 0.0, precision),
                             b.filled({rows, valueSize}, 0.0, element)};
  auto loop = scf::ForOp::create(b, b.index(0), count, b.index(1), none);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Place place = getPlace(queries, loop.getInductionVar()),
        wide = getPlace(queries, loop.getInductionVar(), {valueSize});
  Value highest = b.slice(parts[0], place.offsets, place.sizes, place.keep);
  Value sum = b.slice(parts[1], place.offsets, place.sizes, place.keep);
  Value output = b.slice(parts[2], wide.offsets, wide.sizes, wide.keep);
  ValueRange soFar = loop.getRegionIterArgs();
  OnlineSoftmax::Rescaled rescaled = softmax.emitRescaled({soFar[0], soFar[1], soFar[2], Value()}, highest);
  Value factor = b.generic("p", {{0}, {0}, {0}}, {highest, rescaled.shift}, b.empty({rows}, precision),
                           [&](TileBuilder &inner, ValueRange args) {
                             return SmallVector<Value>{softmax.emitExponential(inner, args[0], args[1])};
                           })[0];
  auto addScaled = [](TileBuilder &inner, ValueRange args) {
    Value scaled = arith::MulFOp::create(inner, args[1], inner.cast(args[0], args[1].getType()));
    return SmallVector<Value>{arith::AddFOp::create(inner, args[2], scaled)};
  };
  sum = b.generic("p", {{0}, {0}, {0}}, {factor, sum}, rescaled.sum, addScaled)[0];
  output = b.generic("pp", {{0}, {0, 1}, {0, 1}}, {factor, output}, rescaled.output, addScaled)[0];
  scf::YieldOp::create(b, ValueRange{rescaled.maximum, sum, output});
  return {loop.getResult(0), loop.getResult(1), loop.getResult(2), Value()};
}
