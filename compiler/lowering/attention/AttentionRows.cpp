//===- AttentionRows.cpp - attention with few queries ---------------------===//
//
// With queries in lanes, one query costs as much as a vector of queries. Here,
// a score is a dot product along the head. Lanes hold keys in the softmax, and
// head elements in the result. The rows are the queries of one head, or of all
// heads that share a key head; keys and values are then read once for all these
// heads.
//
//===----------------------------------------------------------------------===//

#include "AttentionEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

/// Returns the dimensions for head, query and element of a tensor in `layout` without its batch dimension.
static LoopDims rowDims(Layout layout) { return layout == Layout::Bhsd ? LoopDims{0, 1, 2} : LoopDims{1, 0, 2}; }

/// Returns the task's queries, times queryScale(), as [rows][D].
Value AttentionEmitter::loadRows(Task &task) {
  Layout layout = op.getQueryLayout();
  int64_t rows = task.blocks.rows;
  Value lines = b.slice(op.getQuery(), headOffsets(layout, task.batch, task.head, task.firstQuery),
                        headSizes(layout, rows, size, plan.sharing), {1, 2, 3});
  Value scaled = b.generic("ppp", {rowDims(layout), {0, 1, 2}}, lines, b.empty({plan.sharing, rows, size}, element),
                           [&](TileBuilder &inner, ValueRange args) {
                             Value scale = inner.real(queryScale(), element);
                             return SmallVector<Value>{arith::MulFOp::create(inner, args[0], scale)};
                           })[0];
  return tensor::CollapseShapeOp::create(b, scaled, ArrayRef<ReassociationIndices>{{0, 1}, {2}});
}

/// For each head of the task, applies `change` to the rows of `scores` that belong to this head. Returns the changed
/// scores. `change` gets a task whose first head is this head.
Value AttentionEmitter::ofEachHead(Task &task, Value scores, llvm::function_ref<Value(Task &, Value)> change) {
  int64_t columns = cast<RankedTensorType>(scores.getType()).getDimSize(1);
  SmallVector<Extent> sizes = {task.blocks.rows, columns};
  if (ShapedType::isDynamic(columns))
    sizes[1] = tensor::getMixedSize(b, b.getLoc(), scores, 1);
  for (int64_t head = 0; head < plan.sharing; ++head) {
    Task of = task;
    of.head = b.add(task.head, b.index(head));
    SmallVector<OpFoldResult> offsets = {b.getIndexAttr(head * task.blocks.rows), b.getIndexAttr(0)};
    Value part = b.slice(scores, offsets, sizes, {0, 1});
    Value changed = change(of, part);
    if (changed != part)
      scores = b.insert(changed, scores, offsets, sizes);
  }
  return scores;
}

/// Copies the rows of `tile`, ordered by head and query, to `target`, whose dimensions are those of `layout` without
/// the batch dimension.
Value AttentionEmitter::storeRows(Value tile, Layout layout, Value target) {
  auto type = cast<RankedTensorType>(tile.getType());
  auto split = RankedTensorType::get({plan.sharing, type.getDimSize(0) / plan.sharing, type.getDimSize(1)}, element);
  Value rows = tensor::ExpandShapeOp::create(b, split, tile, ArrayRef<ReassociationIndices>{{0, 1}, {2}});
  return b.generic("ppp", {{0, 1, 2}, rowDims(layout)}, rows, target, [&](TileBuilder &inner, ValueRange args) {
    return SmallVector<Value>{leaving(inner, args[0])};
  })[0];
}

/// Emits one step of the online softmax over `count` keys, a number that is known only at run time. The remaining
/// scores of the last vector are set to -inf, so that their exponentials are 0.
AttentionEmitter::Running AttentionEmitter::onlineInVectors(Task &task, Value firstKey, const Extent &count,
                                                            Running running) {
  auto type = cast<RankedTensorType>(running.scores.getType());
  int64_t rows = type.getDimSize(0), lanes = tiles.lanes;
  OpFoldResult zero = b.getIndexAttr(0);
  Value used = b.index(count);
  // Replaces a slice of `whole` by the result of `change`.
  auto changed = [&](Value whole, ArrayRef<OpFoldResult> at, ArrayRef<Extent> sizes, auto change) {
    SmallVector<unsigned> keep = llvm::to_vector(llvm::seq<unsigned>(0, sizes.size()));
    return b.insert(change(b.slice(whole, at, sizes, keep)), whole, at, sizes);
  };
  Value block = changed(running.scores, {zero, zero}, {rows, count},
                        [&](Value part) { return scores(task, firstKey, count, part); });
  Value vectors = arith::CeilDivUIOp::create(b, used, b.index(lanes));
  Value behind = b.sub(b.mul(vectors, lanes), used);
  block = changed(block, {zero, used}, {rows, behind},
                  [&](Value part) { return linalg::FillOp::create(b, b.real(-INFINITY, element), part).getResult(0); });

  SmallVector<ReassociationIndices> split = {{0}, {1, 2}};
  auto inVectors = RankedTensorType::get({rows, type.getDimSize(1) / lanes, lanes}, element);
  block = tensor::ExpandShapeOp::create(b, inVectors, block, split);
  Rescaled rescaled;
  Value sum;
  block = changed(block, {zero, zero, zero}, {rows, vectors, lanes}, [&](Value part) {
    Value highest = largestOf("prp", {{0, 1, 2}, {0, 2}}, part, b.filled({rows, lanes}, -INFINITY, element));
    rescaled = rescale(running, largestOf(highest));
    part = b.generic("ppp", {{0}, {0, 1, 2}}, rescaled.shift, part, [&](TileBuilder &inner, ValueRange args) {
      return SmallVector<Value>{inner.cast(weightOf(task, inner, args[1], args[0]), element)};
    })[0];
    auto add = [&](TileBuilder &inner, ValueRange args) {
      return SmallVector<Value>{arith::AddFOp::create(inner, inner.cast(args[0], precision), args[1])};
    };
    Value sums = b.generic("prp", {{0, 1, 2}, {0, 2}}, part, b.filled({rows, lanes}, 0.0, precision), add)[0];
    sum = b.generic("pr", {{0, 1}, {0}}, sums, rescaled.sum, add)[0];
    return part;
  });
  block = tensor::CollapseShapeOp::create(b, type, block, split);
  if (task.values.scales)
    block = changed(block, {zero, zero}, {rows, count},
                    [&](Value part) { return timesScales(task.values.scales, firstKey, count, part); });
  Value weights = b.slice(block, {zero, zero}, {rows, count}, {0, 1});
  Value output = weighted(task, firstKey, count, weights, rescaled.output);
  return {rescaled.maximum, sum, output, block};
}
