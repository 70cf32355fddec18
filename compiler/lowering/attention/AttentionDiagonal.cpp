//===- AttentionDiagonal.cpp - blocks cut by the causal order -------------===//
//
// When a block of queries and a block of keys meet on the diagonal, nearly half
// of their scores are removed. Such a block is computed in steps of as many
// keys as a vector has lanes. Each step computes scores only for queries from
// the position of its first key on, since earlier queries see none of its keys.
// In a step of n keys, only the first n queries compare positions: their scores
// are a square tile on the diagonal. All later queries see all n keys.
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace heddle;

/// Emits a loop over the blocks of keys before the diagonal, then the block on the diagonal.
AttentionEmitter::Running AttentionEmitter::upToDiagonal(Task &task, Running running) {
  Value first = b.add(task.firstQuery, b.index(plan.diagonal));
  task.seesAll = true;
  auto loop = scf::ForOp::create(b, b.index(0), b.createOrFold<arith::DivUIOp>(first, b.index(plan.blockK)), b.index(1),
                                 running.list());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Running inside = Running::from(loop.getRegionIterArgs());
    scf::YieldOp::create(b, online(task, b.mul(loop.getInductionVar(), plan.blockK), plan.blockK, inside).list());
  }
  return onDiagonal(task, first, Running::from(loop.getResults()));
}

/// Emits one step of the online softmax for the block on the diagonal, whose first key is `firstKey`.
AttentionEmitter::Running AttentionEmitter::onDiagonal(Task &task, Value firstKey, Running running) {
  int64_t step = tiles.lanes;
  auto at = [&](int64_t i) { return OpFoldResult(b.getIndexAttr(i)); };
  // Replaces a slice of `whole` by the result of `change`.
  auto changed = [&](Value whole, SmallVector<OpFoldResult> offsets, SmallVector<Extent> sizes, auto change) {
    SmallVector<unsigned> all = llvm::to_vector(llvm::seq<unsigned>(0, sizes.size()));
    return b.insert(change(b.slice(whole, offsets, sizes, all)), whole, offsets, sizes);
  };

  Value block = running.scores, highest = b.filled({plan.blockK}, -INFINITY, element);
  for (int64_t i = 0; i < plan.blockK; i += step)
    block = changed(block, {at(i), at(i)}, {step, plan.blockK - i}, [&](Value stair) {
      int64_t factors = cast<RankedTensorType>(task.factor.getType()).getDimSize(0);
      Value query = b.slice(task.factor, {at(0), at(i)}, {factors, plan.blockK - i}, {0, 1});
      stair = products(task, b.add(firstKey, b.index(i)), step, query, stair);
      stair = changed(stair, {at(0), at(0)}, {step, step},
                      [&](Value square) { return removed(task, firstKey, square); });
      highest = changed(highest, {at(i)}, {plan.blockK - i}, [&](Value part) { return largestOf(stair, part); });
      return stair;
    });

  Rescaled rescaled = rescale(running, highest);
  for (int64_t i = 0; i < plan.blockK; i += step)
    block = changed(block, {at(i), at(i)}, {step, plan.blockK - i}, [&](Value stair) {
      Value shift = b.slice(rescaled.shift, {at(i)}, {plan.blockK - i}, {0});
      rescaled.sum = changed(rescaled.sum, {at(i)}, {plan.blockK - i}, [&](Value sum) {
        SmallVector<Value> weights = exponentials(task, shift, stair, sum);
        stair = weights[0];
        return weights[1];
      });
      return stair;
    });
  // Each vector of queries only needs the values of keys up to its own position.
  Value output = rescaled.output;
  for (int64_t i = 0; i < plan.blockK; i += step)
    output = changed(output, {at(0), at(i)}, {valueSize, step}, [&](Value part) {
      Value weights = b.slice(block, {at(0), at(i)}, {i + step, step}, {0, 1});
      return weighted(task, firstKey, i + step, weights, part);
    });
  return {rescaled.maximum, rescaled.sum, output, block};
}
