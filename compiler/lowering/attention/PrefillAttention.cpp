//===- PrefillAttention.cpp - attention with queries in lanes -------------===//
//
// When a block of queries and a block of keys meet on the diagonal of the causal
// mask, nearly half of their scores are removed. Such a block is computed in
// steps of as many keys as a vector has lanes. Each step computes scores only
// for queries from the position of its first key on, since earlier queries see
// none of its keys. In a step of n keys, only the first n queries compare
// positions: their scores are a square tile on the diagonal. All later queries
// see all n keys.
//
//===----------------------------------------------------------------------===//

#include "PrefillAttention.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// Lanes without a query are 0.
Value PrefillAttention::emitQuery(const TaskQueries &block) {
  Type element = steps.softmax.getElement();
  HeadSlice slice{op.getQueryLayout(), block.batch, block.head, block.firstQuery, block.rows, sizes.headSize};
  Value lines = b.slice(op.getQuery(), slice.getOffsets(), slice.getSizes(), slice.getRowDims());
  if (block.rows < block.lanes) {
    auto type = RankedTensorType::get({block.lanes, sizes.headSize}, element);
    SmallVector<OpFoldResult> low(2, b.getIndexAttr(0)), high = {b.getIndexAttr(block.lanes - block.rows), low[0]};
    lines = tensor::PadOp::create(b, type, lines, low, high, b.real(0.0, element));
  }
  return b.generic("pp", {{1, 0}, {0, 1}}, lines, b.empty({sizes.headSize, block.lanes}, element),
                   [&](TileBuilder &inner, ValueRange args) {
                     Value scale = inner.real(getQueryScale(), element);
                     return SmallVector<Value>{arith::MulFOp::create(inner, args[0], scale)};
                   })[0];
}

SoftmaxState PrefillAttention::emitKeys(const AttentionTask &task, const SoftmaxState &state) {
  return task.cutsDiagonal ? emitUpToDiagonal(task, state) : emitFixedBlocks(task, state);
}

Value PrefillAttention::emitStored(const TaskQueries &, Value tile, Layout, bool inRows, Value target) {
  SmallVector<OpFoldResult> origin(2, b.getIndexAttr(0));
  SmallVector<int64_t> used(cast<RankedTensorType>(target.getType()).getShape());
  LoopDims loops = {0, 1};
  if (!inRows) {
    std::swap(used[0], used[1]);
    std::swap(loops[0], loops[1]);
  }
  return b.generic(
      "pp", {loops, {0, 1}}, b.slice(tile, origin, {used[0], used[1]}, {0, 1}), target,
      [&](TileBuilder &inner, ValueRange args) { return SmallVector<Value>{emitLeaving(inner, args[0])}; })[0];
}

/// Emits a loop over the blocks of keys before the diagonal, then the block on the diagonal.
SoftmaxState PrefillAttention::emitUpToDiagonal(const AttentionTask &task, const SoftmaxState &state) {
  Value first = b.add(task.queries.firstQuery, b.index(plan.diagonal));
  auto loop = scf::ForOp::create(b, b.index(0), b.createOrFold<arith::DivUIOp>(first, b.index(plan.blockK)), b.index(1),
                                 state.list());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SoftmaxState inside = SoftmaxState::from(loop.getRegionIterArgs());
    Value firstKey = b.mul(loop.getInductionVar(), plan.blockK);
    scf::YieldOp::create(b, steps.emitOnline(task, firstKey, plan.blockK, inside, /*seesAll=*/true).list());
  }
  return emitOnDiagonal(task, first, SoftmaxState::from(loop.getResults()));
}

/// Emits one step of the online softmax for the block on the diagonal, whose first key is `firstKey`.
SoftmaxState PrefillAttention::emitOnDiagonal(const AttentionTask &task, Value firstKey, const SoftmaxState &state) {
  int64_t step = tiles.lanes, keys = plan.blockK;
  auto at = [&](int64_t i) { return OpFoldResult(b.getIndexAttr(i)); };
  // Replaces a slice of `whole` by the result of `change`.
  auto changed = [&](Value whole, SmallVector<OpFoldResult> offsets, SmallVector<Extent> extents, auto change) {
    SmallVector<unsigned> all = llvm::to_vector(llvm::seq<unsigned>(0, extents.size()));
    return b.insert(change(b.slice(whole, offsets, extents, all)), whole, offsets, extents);
  };

  Value block = state.scores, highest = b.filled({keys}, -INFINITY, steps.softmax.getElement());
  for (int64_t i = 0; i < keys; i += step)
    block = changed(block, {at(i), at(i)}, {step, keys - i}, [&](Value stair) {
      int64_t factors = cast<RankedTensorType>(task.factor.getType()).getDimSize(0);
      Value query = b.slice(task.factor, {at(0), at(i)}, {factors, keys - i}, {0, 1});
      stair = steps.products.emitScores(task, b.add(firstKey, b.index(i)), step, query, stair);
      stair = changed(stair, {at(0), at(0)}, {step, step}, [&](Value square) {
        return steps.scores.emitWithoutRemoved(task.queries, task.range, firstKey, square);
      });
      highest =
          changed(highest, {at(i)}, {keys - i}, [&](Value part) { return steps.softmax.emitLargest(stair, part); });
      return stair;
    });

  OnlineSoftmax::Rescaled rescaled = steps.softmax.emitRescaled(state, highest);
  for (int64_t i = 0; i < keys; i += step)
    block = changed(block, {at(i), at(i)}, {step, keys - i}, [&](Value stair) {
      Value shift = b.slice(rescaled.shift, {at(i)}, {keys - i}, {0});
      rescaled.sum = changed(rescaled.sum, {at(i)}, {keys - i}, [&](Value sum) {
        auto weights = steps.softmax.emitWeights(shift, stair, sum, task.checked);
        stair = weights.weights;
        return weights.sum;
      });
      return stair;
    });
  // Each vector of queries only needs the values of keys up to its own position.
  Value output = rescaled.output;
  for (int64_t i = 0; i < keys; i += step)
    output = changed(output, {at(0), at(i)}, {sizes.valueSize, step}, [&](Value part) {
      Value weights = b.slice(block, {at(0), at(i)}, {i + step, step}, {0, 1});
      return steps.products.emitWeighted(task, firstKey, i + step, weights, part);
    });
  return {rescaled.maximum, rescaled.sum, output, block};
}
