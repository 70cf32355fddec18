//===- BlockProducts.cpp - products with a block of keys ------------------===//

#include "BlockProducts.h"
#include "RemovedKeys.h"
#include "Widened.h"

#include "ReadNotes.h"

using namespace mlir;
using namespace heddle;

/// Annotates `product`, so that the rows of keys or values that it reads are prefetched, and returns it. Does not
/// annotate it in a checked task, or if prefetchBytes is 0: prefetches help only with few queries, which read each row
/// once, from memory.
Value BlockProducts::emitPrefetched(const AttentionTask &task, Value product) {
  if (prefetchBytes && !task.checked) {
    notes::prefetchBytes.set(product.getDefiningOp(), prefetchBytes);
    notes::prefetchCache.set(product.getDefiningOp(), prefetchCache);
  }
  return product;
}

Value BlockProducts::emitScores(const AttentionTask &task, Value firstKey, const Extent &count, Value query,
                                Value into) {
  int64_t size = cast<RankedTensorType>(task.keys.numbers.getType()).getDimSize(1);
  Type element = getElementTypeOrSelf(into);
  Value lines = b.slice(task.keys.numbers, {firstKey, b.getIndexAttr(0)}, {count, size}, {0, 1});
  Value zeros = linalg::FillOp::create(b, b.real(0.0, element), into).getResult(0);
  if (!dims.areKeysInLanes()) // each element is read for all queries, so convert it only once
    lines = emitWidened(b, b.getLoc(), lines);
  lines = task.factors.emit(b, lines, /*along=*/1);
  SmallVector<Value> inputs = {lines, query};
  SmallVector<LoopDims> loops = {{0, 2}, {2, 1}, {0, 1}};
  if (dims.areKeysInLanes()) {
    std::swap(inputs[0], inputs[1]);
    loops[1] = {1, 2};
  }
  Value sums = b.generic("ppr", loops, inputs, zeros, [&](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{task.factors.emitSum(inner, args[0], args[1], args[2])};
  })[0];
  if (op.getRounding())
    sums = b.generic("pp", {{0, 1}}, {}, sums, [&](TileBuilder &inner, ValueRange args) {
      return SmallVector<Value>{arith::MulFOp::create(inner, args[0], inner.real(score.getProductScale(), element))};
    })[0];
  return emitTimesScales(b, task.keys.scales, firstKey, count, emitPrefetched(task, sums), dims.key);
}

Value BlockProducts::emitWeighted(const AttentionTask &task, Value firstKey, const Extent &count, Value weights,
                                  Value output) {
  int64_t size = cast<RankedTensorType>(task.values.numbers.getType()).getDimSize(1);
  bool inLanes = dims.areKeysInLanes();
  Value lines = b.slice(task.values.numbers, {firstKey, b.getIndexAttr(0)}, {count, size}, {0, 1});
  if (!inLanes)
    lines = emitWidened(b, b.getLoc(), lines);
  lines = task.factors.emit(b, lines, /*along=*/0);
  SmallVector<LoopDims> loops = {{2, 0}, {2, 1}, {0, 1}};
  if (task.outputInRows)
    loops = {{2, 1}, inLanes ? LoopDims{0, 2} : LoopDims{2, 0}, {0, 1}};
  if (task.outputInRows && !inLanes)
    weights = b.slice(weights, {b.getIndexAttr(0), b.getIndexAttr(0)}, {count, task.queries.rows}, {0, 1});
  weights = task.factors.emitOfWeights(b, weights, dims.key);
  Value sums = b.generic("ppr", loops, {lines, weights}, output, [&](TileBuilder &inner, ValueRange args) {
    Value sum = task.factors.emitSum(inner, args[0], args[1], args[2]);
    if (task.checked)
      sum = arith::SelectOp::create(inner, emitIsMarked(inner, args[1]), args[2], sum);
    return SmallVector<Value>{sum};
  })[0];
  return emitPrefetched(task, sums);
}
